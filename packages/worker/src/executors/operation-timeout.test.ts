import { expect, test } from 'vitest'
import { timeoutOf } from './operation-timeout.ts'

test.each([
  ['the blueprint has none', null, 86_400_000, 86_400_000],
  ['the blueprint has none, and the worker neither', undefined, 0, null],
  ['the blueprint has one', 5, 86_400_000, 5_000],
  ['the blueprint has a longer one', 100_000, 86_400_000, 100_000_000],
  ['the blueprint says 0', 0, 86_400_000, 86_400_000],
])('%s', (_what, seconds, workersMs, expected) => {
  expect(timeoutOf(seconds, workersMs)).toBe(expected)
})
