import { readdir, readFile, readlink } from 'node:fs/promises'

export type LivingProcess = { readonly pid: number; readonly parent: number; readonly command: string }

/** The processes whose environment holds `text`. A zombie has none, so it is not among them. */
export async function processesWith(text: string): Promise<LivingProcess[]> {
  const all = await allProcesses()
  const marked = await Promise.all(
    all.map(async (process) => (await read(process.pid, 'environ')).includes(text)),
  )
  return all.filter((_process, index) => marked[index])
}

/** The processes that operations are forked from, whose children have their command line too. */
export async function warmParentsWith(text: string): Promise<LivingProcess[]> {
  const found = (await processesWith(text)).filter(({ command }) => command.includes('operations_parent.py'))
  const pids = new Set(found.map(({ pid }) => pid))
  return found.filter(({ parent }) => !pids.has(parent))
}

/** The processes that work in `folder` or below it. */
export async function processesIn(folder: string): Promise<LivingProcess[]> {
  const all = await allProcesses()
  const paths = await Promise.all(all.map(({ pid }) => readlink(`/proc/${pid}/cwd`).catch(() => '')))
  return all.filter((_process, index) => `${paths[index]}/`.startsWith(`${folder}/`))
}

/** Whether there is a process of that number, whoever's. */
export function isRunning(pid: number): boolean {
  try {
    return process.kill(pid, 0)
  } catch (error) {
    return (error as NodeJS.ErrnoException).code === 'EPERM'
  }
}

/** Kills a process that may have ended meanwhile, or sends it another signal. */
export function killProcess(pid: number, signal: NodeJS.Signals = 'SIGKILL'): void {
  try {
    process.kill(pid, signal)
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'ESRCH') throw error
  }
}

export async function childrenOf(pid: number): Promise<LivingProcess[]> {
  return (await allProcesses()).filter((process) => process.parent === pid)
}

async function allProcesses(): Promise<LivingProcess[]> {
  const pids = (await readdir('/proc')).filter((name) => /^\d+$/.test(name)).map(Number)
  const found = await Promise.all(
    pids.map(async (pid) => {
      const stat = await read(pid, 'stat')
      // proc(5): the command, second field, is in parentheses; the state and the parent follow.
      const [state, parent] = stat.slice(stat.lastIndexOf(')') + 2).split(' ')
      const command = (await read(pid, 'cmdline')).replaceAll('\0', ' ').trim()
      return state === undefined || state === 'Z' ? [] : [{ pid, parent: Number(parent), command }]
    }),
  )
  return found.flat()
}

/** Empty for a process that is gone or another user's. */
const read = (pid: number, file: string): Promise<string> =>
  readFile(`/proc/${pid}/${file}`, 'latin1').catch(() => '')
