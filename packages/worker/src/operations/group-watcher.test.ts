import { spawn } from 'node:child_process'
import { readdirSync, readFileSync } from 'node:fs'
import { expect, test } from 'vitest'
import { until } from '../../test/until.ts'

const program = `
import { spawn } from 'node:child_process'
import { createGroupWatcher } from '${import.meta.dirname}/group-watcher.ts'
const watcher = createGroupWatcher()
const groups = Array.from({ length: 5 }, () => spawn('sleep', ['60'], { detached: true, stdio: 'ignore' }).pid)
const started = groups.map((leader) => ({ leader, mark: 'mark-' + leader }))
for (const one of started) watcher.watch(one)
watcher.release(started[1])
watcher.release(started[3])
watcher.watch(started[3])
watcher.release(started[4])
console.log(groups.join(' '))
setInterval(() => {}, 1000)
`

function status(pid: number): { readonly state: string; readonly parent: number } | undefined {
  try {
    const [state = '', parent] = (readFileSync(`/proc/${pid}/stat`, 'utf8').split(') ').at(-1) ?? '').split(
      ' ',
    )
    return { state, parent: Number(parent) }
  } catch {
    return undefined
  }
}

const isAlive = (pid: number) => !['Z', undefined].includes(status(pid)?.state)

const watchersOf = (parent: number) =>
  readdirSync('/proc')
    .map(Number)
    .filter(
      (pid) =>
        pid > 0 &&
        status(pid)?.parent === parent &&
        isAlive(pid) &&
        readFileSync(`/proc/${pid}/cmdline`, 'utf8').startsWith('/bin/sh'),
    )

test.each([[false], [true]])(
  'watched groups die with their worker; the watcher was killed before: %s',
  async (killed) => {
    const worker = spawn(process.execPath, ['--input-type=module', '-e', program], {
      stdio: ['ignore', 'pipe', 'inherit'],
    })
    const groups = await new Promise<number[]>((resolve) => {
      worker.stdout.once('data', (text) => resolve(String(text).trim().split(' ').map(Number)))
    })
    try {
      const workerPid = worker.pid ?? 0
      await until(() => watchersOf(workerPid).length === 1)
      const [watcher = 0] = watchersOf(workerPid)
      if (killed) {
        process.kill(watcher, 'SIGKILL')
        await until(() => watchersOf(workerPid).some((pid) => pid !== watcher))
      }
      worker.kill('SIGKILL')
      await until(() => ![0, 2, 3].some((index) => isAlive(groups[index] ?? 0)))
      expect([1, 4].map((index) => isAlive(groups[index] ?? 0))).toEqual([true, true])
    } finally {
      worker.kill('SIGKILL')
      for (const group of groups) if (isAlive(group)) process.kill(group, 'SIGKILL')
    }
  },
)
