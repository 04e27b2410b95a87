/**
 * Loaded before a process: when there is a file `stall` in the folder that is named, its event loop stands still, as at a
 * value that is far too large for the machine, several times with a moment between. Each time is a line of `stalls`.
 */
import { appendFileSync, existsSync } from 'node:fs'
import { join } from 'node:path'
import { isMainThread } from 'node:worker_threads'

const folder = process.env.STALL_FOLDER
if (isMainThread && folder !== undefined) {
  const stallMs = Number(process.env.STALL_MS)
  let left = Number(process.env.STALL_TIMES)
  const timer = setInterval(() => {
    if (!existsSync(join(folder, 'stall'))) return
    Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, stallMs)
    appendFileSync(join(folder, 'stalls'), `${stallMs}\n`)
    left -= 1
    if (left === 0) clearInterval(timer)
  }, 100)
}
