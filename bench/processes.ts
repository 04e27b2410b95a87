import { readdir, readFile } from 'node:fs/promises'
import { join } from 'node:path'

/** The PostgreSQL of a data folder: its first process and the children of that. */
export async function postgresPids(dataFolder: string): Promise<number[]> {
  const file = join(dataFolder, 'postgresql', 'data', 'postmaster.pid')
  const postmaster = Number.parseInt(await readFile(file, 'utf8'), 10)
  return [postmaster, ...(await childrenOf(postmaster))]
}

/** Processes that a manager forks Python operations from. */
export async function parentPids(manager: number): Promise<number[]> {
  const isParent = async (pid: number) =>
    (await readFile(`/proc/${pid}/cmdline`, 'utf8').catch(() => '')).includes('operations_parent.py')
  const found = await Promise.all(
    (await childrenOf(manager)).map(async (pid) => ((await isParent(pid)) ? pid : [])),
  )
  return found.flat()
}

async function childrenOf(parent: number): Promise<number[]> {
  const all = await Promise.all(
    (await readdir('/proc')).filter((name) => /^\d+$/.test(name)).map((pid) => readStat(Number(pid))),
  )
  return all.filter((stat) => stat?.parent === parent).map((stat) => stat?.pid ?? 0)
}

export type ProcessStat = {
  readonly pid: number
  readonly parent: number
  /** Of the process itself and of its children that have ended. */
  readonly cpuSeconds: number
}

/** USER_HZ: the same on every Linux that Node runs on. */
const ticksPerSecond = 100

/** Undefined when the process is gone. */
export async function readStat(pid: number): Promise<ProcessStat | undefined> {
  const text = await readFile(`/proc/${pid}/stat`, 'utf8').catch(() => undefined)
  if (text === undefined) return undefined
  // The name, in parentheses, may hold anything; proc(5) counts what follows it from field 3.
  const fields = text.slice(text.lastIndexOf(')') + 2).split(' ')
  const field = (number: number) => Number(fields[number - 3])
  const ticks = field(14) + field(15) + field(16) + field(17)
  return { pid, parent: field(4), cpuSeconds: ticks / ticksPerSecond }
}
