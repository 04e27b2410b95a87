import { expect, test } from 'vitest'
import { createSlowDown } from './slow-down.ts'

function slowDown(most = 100) {
  const clock = { ms: 1_000_000 }
  return { clock, slow: createSlowDown({ now: () => clock.ms, most }) }
}

test('some wrong passwords are free, then each is slower, up to half a minute', () => {
  const { slow, clock } = slowDown()
  const waits: number[] = []
  for (let guess = 0; guess < 14; guess += 1) {
    slow.failed('stranger')
    waits.push(slow.waitMs('stranger'))
    clock.ms += slow.waitMs('stranger')
    expect(slow.waitMs('stranger')).toBe(0)
  }
  expect(waits).toEqual([0, 0, 0, 0, 1, 2, 4, 8, 16, 30, 30, 30, 30, 30].map((seconds) => seconds * 1_000))
  expect(slow.waitMs('somebody else')).toBe(0)
})

test('the right password ends it, and so does time', () => {
  const { slow, clock } = slowDown()
  for (let guess = 0; guess < 9; guess += 1) slow.failed('key')
  slow.succeeded('key')
  expect(slow.waitMs('key')).toBe(0)
  for (let guess = 0; guess < 9; guess += 1) slow.failed('key')
  clock.ms += 15 * 60_000
  slow.failed('key')
  expect(slow.waitMs('key')).toBe(0)
})

test('memory is bounded, and what failed last is kept', () => {
  const { slow } = slowDown(3)
  for (let guess = 0; guess < 6; guess += 1) slow.failed('kept')
  slow.failed('a')
  slow.failed('b')
  slow.failed('kept')
  slow.failed('c')
  expect(slow.waitMs('kept')).toBe(4_000)
  for (const key of ['d', 'e', 'f']) slow.failed(key)
  expect(slow.waitMs('kept')).toBe(0)
})
