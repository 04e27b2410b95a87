import { afterAll, beforeAll, expect, test } from 'vitest'
import { coordinatorLock } from './coordinator-lock.ts'
import { createTestDatabase, type TestDatabase } from './testing/index.ts'

let own: TestDatabase
beforeAll(async () => {
  own = await createTestDatabase()
})
afterAll(() => own.drop())

const never = 2 ** 30

test('one holds the lock, and the next has it when that one closes', async () => {
  const [first, second] = await Promise.all([1, 2].map(() => coordinatorLock(own.connection, never)))
  try {
    expect(await first?.take()).toBe(true)
    expect(await first?.take()).toBe(true)
    expect(await second?.take()).toBe(false)
    await first?.close()
    await expect.poll(() => second?.take()).toBe(true)
  } finally {
    await second?.close()
  }
})

test('whoever holds it and says nothing, as a process that is halted, loses it', async () => {
  const halted = await coordinatorLock(own.connection, 200)
  const other = await coordinatorLock(own.connection, never)
  try {
    expect(await halted.take()).toBe(true)
    await expect.poll(() => other.take(), { timeout: 30_000 }).toBe(true)
    await expect(halted.hold()).rejects.toThrow()
  } finally {
    await Promise.all([halted.close(), other.close()])
  }
})
