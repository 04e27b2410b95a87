import { spawn } from 'node:child_process'
import { open, rm } from 'node:fs/promises'
import { join } from 'node:path'
import { setTimeout as delay } from 'node:timers/promises'
import type { Binaries } from './binaries.ts'
import type { DataFolder } from './data-folder.ts'
import { isAlive, type ProcessIdentity } from './process-identity.ts'

/** A PostgreSQL server process, started by us or found running. */
export type ServerProcess = {
  readonly pid: number
  /** Resolves with how it ended, for people, once the process is gone. Never rejects. */
  readonly ended: Promise<string>
  /** False when the process is gone already. Never reaches another process that was given the same pid. */
  readonly signal: (name: NodeJS.Signals) => Promise<boolean>
}

/** Nothing of the manager's environment, which may hold secrets. */
export const serverEnvironment: NodeJS.ProcessEnv = { PATH: '/usr/bin:/bin', LC_ALL: 'C' }

/** What the server prints before its own log begins, or when it has nowhere else to print. */
export const startLog = (folder: DataFolder): string => join(folder.log, 'start.log')

/** @throws Error of the operating system when the process cannot be made */
export async function spawnServer(folder: DataFolder, { postgres }: Binaries): Promise<ServerProcess> {
  // Exclusively: the folder is the server user's, and root must not write through a link of his.
  await rm(startLog(folder), { force: true })
  const log = await open(startLog(folder), 'wx', 0o600)
  try {
    const child = spawn(postgres, ['-D', folder.data], {
      cwd: folder.home,
      env: serverEnvironment,
      stdio: ['ignore', log.fd, log.fd],
      // A session of its own: Ctrl-C in the manager's terminal must not end the database before the manager.
      detached: true,
      ...(folder.user.switched ? { uid: folder.user.uid, gid: folder.user.gid } : {}),
    })
    const ended = new Promise<string>((resolve) => {
      child.on('exit', (code, signal) => resolve(code === null ? `signal ${signal}` : `exit code ${code}`))
    })
    const pid = await new Promise<number>((resolve, reject) => {
      child.on('error', reject)
      child.on('spawn', () => resolve(child.pid ?? 0))
    })
    // The database is no reason for this process to stay.
    child.unref()
    return { pid, ended, signal: async (name) => child.kill(name) }
  } finally {
    await log.close()
  }
}

/** Its parent is gone, so nobody is told when it ends: look, twice a second. */
export function watchServer(identity: ProcessIdentity): ServerProcess {
  const watch = async () => {
    while (await isAlive(identity)) await delay(500, undefined, { ref: false })
    return 'unknown: it was not started by this process'
  }
  const signal = async (name: NodeJS.Signals) => (await isAlive(identity)) && process.kill(identity.pid, name)
  return { pid: identity.pid, ended: watch(), signal }
}
