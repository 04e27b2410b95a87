import { execFile } from 'node:child_process'
import { readdir, readFile, readlink, rm } from 'node:fs/promises'
import { join } from 'node:path'
import { setTimeout as delay } from 'node:timers/promises'
import { promisify } from 'node:util'
import { socketPath } from './data-folder.ts'
import { identifyProcess, type ProcessIdentity } from './process-identity.ts'

/** A PostgreSQL that runs in our data directory. */
export type RunningServer = {
  readonly identity: ProcessIdentity
  readonly socketFolder: string
  /** The program it runs, where the system tells. */
  readonly executable: string | undefined
}

/**
 * The server that postmaster.pid names, when that process lives and really is a PostgreSQL in `data`: after
 * a crash the file stays behind and its pid may by now be anybody's.
 */
export async function findRunningServer(data: string): Promise<RunningServer | undefined> {
  const file = await readPostmasterFile(data)
  if (file === undefined) return undefined
  const identity = await identifyProcess(file.pid)
  if (identity === undefined || !(await worksIn(file.pid, data))) return undefined
  return { identity, socketFolder: file.socketFolder, executable: await executableOf(file.pid) }
}

/** Lines of postmaster.pid: pid, data directory, start time, port, socket folder (miscadmin.h of PostgreSQL). */
export async function readPostmasterFile(data: string) {
  const content = await readFile(join(data, 'postmaster.pid'), 'utf8').catch(
    (error: NodeJS.ErrnoException) => {
      if (error.code === 'ENOENT') return undefined
      throw error
    },
  )
  const [pid, , , , socketFolder] = content?.split('\n') ?? []
  const number = Number(pid)
  return Number.isInteger(number) && number > 0
    ? { pid: number, socketFolder: socketFolder ?? '' }
    : undefined
}

/**
 * Removes the lock files of a server that died in `data`, after the last of its processes has ended.
 *
 * PostgreSQL itself clears a lock file whose process is gone, but refuses to start when that pid belongs to
 * any other process of its user or to a zombie (whoever adopts orphans in a container may never bury them),
 * and while sub-processes of the dead server still hold its memory. These end as soon as they notice.
 */
export async function clearStaleServer(data: string, socketFolder: string): Promise<void> {
  if (!(await whenNoProcessWorksIn(data))) return // PostgreSQL will refuse to start, and say why
  await rm(join(data, 'postmaster.pid'), { force: true })
  await rm(`${socketPath(socketFolder)}.lock`, { force: true })
}

/** True when none does, at the latest after 30 s; false when some do, or where the system does not tell. */
export async function whenNoProcessWorksIn(data: string): Promise<boolean> {
  if (process.platform !== 'linux') return false
  for (const deadline = Date.now() + 30_000; Date.now() < deadline; await delay(20)) {
    if (!(await anyProcessWorksIn(data))) return true
  }
  return false
}

/** Every process of a PostgreSQL has its data directory as working directory. */
async function worksIn(pid: number, data: string): Promise<boolean> {
  if (process.platform === 'linux') {
    return (await readlink(`/proc/${pid}/cwd`).catch(() => undefined)) === data
  }
  const answer = await promisify(execFile)('ps', ['-ww', '-o', 'command=', '-p', String(pid)]).catch(
    () => undefined,
  )
  return answer?.stdout.includes(data) === true && answer.stdout.includes('postgres')
}

async function anyProcessWorksIn(data: string): Promise<boolean> {
  const pids = (await readdir('/proc')).filter((name) => /^\d+$/.test(name))
  const works = await Promise.all(pids.map((pid) => worksIn(Number(pid), data)))
  return works.includes(true)
}

async function executableOf(pid: number): Promise<string | undefined> {
  return await readlink(`/proc/${pid}/exe`).catch(() => undefined)
}
