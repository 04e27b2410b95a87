import { expect, test } from 'vitest'
import { failureText, internalFailure } from './internal-error.ts'

test('what users are told of a failure is one line, and nothing of our insides', () => {
  expect(failureText(new Error('ENOSPC: no space left on device\n    at write (file:///x.ts:1:1)'))).toBe(
    'ENOSPC: no space left on device',
  )
  const deep = (): number => deep() + 1
  let overflow: unknown
  try {
    deep()
  } catch (error) {
    overflow = error
  }
  for (const error of [overflow, new TypeError('x is not a function'), 'text', new Error('')]) {
    expect(failureText(error)).toBe(internalFailure)
  }
})
