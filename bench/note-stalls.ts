/**
 * Loaded before a worker: writes down every half second how long its event loop was held up at most, and how long the
 * garbage collector held it up at most, in ms.
 */
import { appendFileSync } from 'node:fs'
import { monitorEventLoopDelay, PerformanceObserver } from 'node:perf_hooks'
import { isMainThread } from 'node:worker_threads'

const file = process.env.BENCH_STALLS
if (isMainThread && file !== undefined) {
  const resolution = 5
  const delays = monitorEventLoopDelay({ resolution })
  delays.enable()
  let collectionMs = 0
  new PerformanceObserver((list) => {
    for (const { duration } of list.getEntries()) collectionMs = Math.max(collectionMs, duration)
  }).observe({ entryTypes: ['gc'] })
  setInterval(() => {
    // What is measured is the distance between two looks.
    const stallMs = Math.max(0, delays.max / 1e6 - resolution)
    appendFileSync(file, `${stallMs.toFixed(1)} ${collectionMs.toFixed(1)}\n`)
    delays.reset()
    collectionMs = 0
  }, 500).unref()
}
