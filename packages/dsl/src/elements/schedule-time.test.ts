import { expect, test } from 'vitest'
import { addTimeDelta, parseTimeDelta, scheduleTime } from './schedule-time.ts'

const NOW = new Date('2026-11-21T12:00:00Z')

test.each([
  ['+1y+2mo', { years: 1, months: 2 }],
  ['+1 day +2 hours', { days: 1, hours: 2 }],
  ['+90min', { minutes: 90 }],
  ['+3 weeks', { weeks: 3 }],
  ['+1 fortnight', null],
  ['1 day', null],
  ['+ 1 day', null],
])('the delta %s is %j', (text, delta) => {
  expect(parseTimeDelta(text)).toEqual(delta)
})

test('a day that the month does not have rolls into the next month', () => {
  const start = new Date('2026-01-31T10:00:00Z')
  expect(addTimeDelta(start, { months: 1 }).toISOString()).toBe('2026-03-03T10:00:00.000Z')
})

test.each([
  ['2035-1-1 19:30', 'EST', '2035-01-02 00:30:00'],
  ['12:00', 'UTC', '2026-11-21 12:00:00'],
  ['2026-07-01 12:00', 'Europe/Berlin', '2026-07-01 10:00:00'],
  ['2026-12-01 12:00', 'Europe/Berlin', '2026-12-01 11:00:00'],
  ['+4h', 'EST', '+4h'],
])('%s in %s is %s', (text, zone, expected) => {
  expect(scheduleTime(text, zone, NOW)).toEqual({ time: expected })
})

test.each([
  ['25:00', 'UTC'],
  ['2026-02-30 10:00', 'UTC'],
  ['tomorrow', 'UTC'],
  ['12:00', 'Nowhere/City'],
])('%s in %s is no time', (text, zone) => {
  expect(scheduleTime(text, zone, NOW)).toHaveProperty('problem')
})
