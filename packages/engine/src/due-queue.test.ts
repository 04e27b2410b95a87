import fc from 'fast-check'
import { expect, test } from 'vitest'
import { newDueQueue, nextDueMs, popDue, pushDue } from './due-queue.ts'

test('items come out in the order of their times, none before it is due', () => {
  fc.assert(
    fc.property(fc.array(fc.nat(50)), fc.nat(60), (times, nowMs) => {
      const queue = newDueQueue<number>()
      for (const atMs of times) pushDue(queue, atMs, atMs)
      const out: number[] = []
      for (let item = popDue(queue, nowMs); item !== undefined; item = popDue(queue, nowMs)) out.push(item)
      const sorted = times.toSorted((a, b) => a - b)
      expect(out).toEqual(sorted.filter((atMs) => atMs <= nowMs))
      expect(nextDueMs(queue)).toBe(sorted.find((atMs) => atMs > nowMs) ?? null)
    }),
  )
})
