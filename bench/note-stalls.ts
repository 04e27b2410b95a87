/** Loaded before a worker: writes down every half second how long its event loop was held up at most, in ms. */
import { appendFileSync } from 'node:fs'
import { monitorEventLoopDelay } from 'node:perf_hooks'
import { isMainThread } from 'node:worker_threads'

const file = process.env.BENCH_STALLS
if (isMainThread && file !== undefined) {
  const resolution = 5
  const delays = monitorEventLoopDelay({ resolution })
  delays.enable()
  setInterval(() => {
    // What is measured is the distance between two looks.
    appendFileSync(file, `${Math.max(0, delays.max / 1e6 - resolution).toFixed(1)}\n`)
    delays.reset()
  }, 500).unref()
}
