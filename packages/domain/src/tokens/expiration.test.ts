import { assert, integer, property } from 'fast-check'
import { expect, test } from 'vitest'
import { parseExpiration } from './expiration.ts'

const now = new Date('2026-01-31T10:30:15.000Z')
const at = (text: string | null | undefined) => parseExpiration(text, now)?.toISOString()

test.each([
  ['+10h', '2026-01-31T20:30:15.000Z'],
  ['+30 minutes', '2026-01-31T11:00:15.000Z'],
  ['+1day+10min', '2026-02-01T10:40:15.000Z'],
  ['+ 2 Weeks', '2026-02-14T10:30:15.000Z'],
  ['+1mo', '2026-02-28T10:30:15.000Z'],
  ['+1y', '2027-01-31T10:30:15.000Z'],
  ['2026-12-31 18:00', '2026-12-31T18:00:00.000Z'],
  ['18:05', '2026-01-31T18:05:00.000Z'],
])('%s is understood', (text, expected) => {
  expect(at(text)).toBe(expected)
})

test('no date is never', () => {
  for (const text of [undefined, null, '', 'never']) expect(at(text)).toBeUndefined()
})

test('what is past is refused', () => {
  for (const text of ['2020-01-01 00:00', '09:00', '+0h']) {
    expect(() => at(text), text).toThrow('Expiration date was in the past.')
  }
})

test('what is no date is refused', () => {
  for (const text of ['soon', '+10', '+10 parsecs', '10h', '25:00', '+1h tomorrow', '+99999999999y', '+1m']) {
    expect(() => at(text), text).toThrow(/is not a legal/)
  }
})

test('parts add up in any number', () => {
  assert(
    property(integer({ min: 0, max: 500 }), integer({ min: 1, max: 5000 }), (days, minutes) => {
      const expected = new Date(now.getTime() + days * 86_400_000 + minutes * 60_000)
      expect(parseExpiration(`+${days}d+${minutes} min`, now)).toEqual(expected)
    }),
  )
})
