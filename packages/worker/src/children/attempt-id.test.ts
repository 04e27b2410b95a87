import fc from 'fast-check'
import { expect, test } from 'vitest'
import { attemptId } from './attempt-id.ts'

test('whoever takes over finds the same id, and no other attempt has it', () => {
  const attempt = fc.tuple(fc.uuid(), fc.string(), fc.nat(100))
  fc.assert(
    fc.property(attempt, attempt, (one, other) => {
      const id = attemptId(...one)
      expect(id).toMatch(/^[0-9a-f]{8}-[0-9a-f]{4}-4[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}$/)
      expect(attemptId(...one)).toBe(id)
      expect(attemptId(...other) === id).toBe(JSON.stringify(one) === JSON.stringify(other))
    }),
  )
})

test('a child whose name looks like an attempt is another child', () => {
  expect(attemptId('e', '1/child', 0)).not.toBe(attemptId('e', 'child', 1))
})
