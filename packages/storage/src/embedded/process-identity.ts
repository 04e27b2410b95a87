import { execFile } from 'node:child_process'
import { readFile, readlink } from 'node:fs/promises'
import { promisify } from 'node:util'

/**
 * One process, even when its pid is given to another later: the pid together with the moment the kernel
 * started it. The format of `startedAt` is the system's own; it is only ever compared.
 */
export type ProcessIdentity = { readonly pid: number; readonly startedAt: string }

/** The identity of the living process `pid`, or undefined when there is none (a zombie is not alive). */
export async function identifyProcess(pid: number): Promise<ProcessIdentity | undefined> {
  const startedAt = process.platform === 'linux' ? await startOnLinux(pid) : await startFromPs(pid)
  return startedAt === undefined ? undefined : { pid, startedAt }
}

export async function isAlive(identity: ProcessIdentity): Promise<boolean> {
  return (await identifyProcess(identity.pid))?.startedAt === identity.startedAt
}

/**
 * The space in which this process's pids mean something: the boot and, on Linux, the pid namespace. Two
 * containers that share a data folder see different pids.
 */
export async function pidSpace(): Promise<string> {
  if (process.platform !== 'linux') return 'host'
  const boot = await readFile('/proc/sys/kernel/random/boot_id', 'utf8')
  return `${boot.trim()} ${await readlink('/proc/self/ns/pid')}`
}

async function startOnLinux(pid: number): Promise<string | undefined> {
  const stat = await readFile(`/proc/${pid}/stat`, 'utf8').catch(() => undefined)
  if (stat === undefined) return undefined
  // proc(5): the command, second field, is in parentheses and may itself hold spaces and parentheses.
  const fields = stat.slice(stat.lastIndexOf(')') + 2).split(' ')
  const [state, startTicks] = [fields[0], fields[19]]
  return state === 'Z' || state === 'X' ? undefined : startTicks
}

async function startFromPs(pid: number): Promise<string | undefined> {
  // ps exits with 1 when there is no such process.
  const answer = await promisify(execFile)('ps', ['-o', 'stat=,lstart=', '-p', String(pid)]).catch(
    () => undefined,
  )
  const [state, ...start] = answer?.stdout.trim().split(/\s+/) ?? []
  return state === undefined || state.startsWith('Z') ? undefined : start.join(' ')
}
