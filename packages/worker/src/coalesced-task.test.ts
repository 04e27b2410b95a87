import { setTimeout as delay } from 'node:timers/promises'
import { expect, test } from 'vitest'
import { createCoalescedTask } from './coalesced-task.ts'

function gated() {
  const waiting: ((error?: Error) => void)[] = []
  let runs = 0
  const work = () => {
    runs += 1
    return new Promise<void>((resolve, reject) => {
      waiting.push((error) => (error === undefined ? resolve() : reject(error)))
    })
  }
  return { work, end: (error?: Error) => waiting.shift()?.(error), runs: () => runs }
}

const settled = () => delay(5)

test('what is asked for meanwhile is done once more, however often', async () => {
  const { work, end, runs } = gated()
  const soon = createCoalescedTask(work, { delayMs: 0, onError: () => {} })
  for (let time = 0; time < 3; time += 1) soon.ask()
  await settled()
  expect(runs()).toBe(1)
  for (let time = 0; time < 3; time += 1) soon.ask()
  end()
  await settled()
  expect(runs()).toBe(2)
  end()
  await settled()
  expect(runs()).toBe(2)
  soon.ask()
  await settled()
  expect(runs()).toBe(3)
  end()
})

test('what failed is told, and asked for again is done again', async () => {
  const { work, end, runs } = gated()
  const errors: unknown[] = []
  const soon = createCoalescedTask(work, { delayMs: 0, onError: (error) => errors.push(error) })
  soon.ask()
  await settled()
  const failure = new Error('no database')
  end(failure)
  await settled()
  expect(errors).toEqual([failure])
  soon.ask()
  await settled()
  expect(runs()).toBe(2)
  end()
})

test('a stop waits for what is under way, and nothing begins after it', async () => {
  const { work, end, runs } = gated()
  const soon = createCoalescedTask(work, { delayMs: 0, onError: () => {} })
  soon.ask()
  await settled()
  soon.ask()
  let isStopped = false
  const stopped = soon.stop().then(() => {
    isStopped = true
  })
  await settled()
  expect(isStopped).toBe(false)
  end()
  await stopped
  soon.ask()
  await settled()
  expect(runs()).toBe(1)
})

test('a stop does not wait for what has not begun', async () => {
  const { work, runs } = gated()
  const soon = createCoalescedTask(work, { delayMs: 60_000, onError: () => {} })
  soon.ask()
  await soon.stop()
  expect(runs()).toBe(0)
})
