import { Stopped } from '@tutti/engine'
import { openDatabase } from '@tutti/storage'
import { expect, test } from 'vitest'
import type { WorkerServices } from '../services.ts'
import { cancelModeOf, checkHeld, type ExecutionControl, newControl, untilLost } from './control.ts'
import { whileHeld } from './while-held.ts'

type Row = Parameters<typeof newControl>[0]

const control = (status = 'started'): ExecutionControl =>
  newControl({ tenant_id: 3, id: 'e', lease_fence: 7, step: 5, status } as Row, 1_000)

test('a run goes on from the last stored step, under the lease that it was given', () => {
  expect(control()).toMatchObject({
    lease: { tenantId: 3, executionId: 'e', fence: 7 },
    step: 5,
    cancelMode: null,
  })
})

test.each([
  ['cancelling', 'cancel'],
  ['force_cancelling', 'force-cancel'],
  ['kill_cancelling', 'kill'],
  ['started', null],
  ['cancelled', null],
])('an execution that is %s is asked to %s', (status, mode) => {
  expect(cancelModeOf(status)).toBe(mode)
  expect(control(status).cancelMode).toBe(mode)
})

test('who drains goes on with what runs until its time is over', () => {
  const one = control()
  one.isDraining = true
  expect(() => checkHeld(one)).not.toThrow()
  one.isOutOfTime = true
  expect(() => checkHeld(one)).toThrow(Stopped)
})

test('whose lease is lost stops at once', () => {
  const one = control()
  expect(() => checkHeld(one)).not.toThrow()
  one.lose()
  expect(() => checkHeld(one)).toThrow(Stopped)
})

test('a question that nobody answers is given up when the lease is lost', async () => {
  const one = control()
  const asked = untilLost(one, new Promise(() => {}))
  one.lose()
  await expect(asked).rejects.toThrow(Stopped)
  await expect(untilLost(one, new Promise(() => {}))).rejects.toThrow(Stopped)
})

test('an answer is given as it comes, whatever happens to the lease afterwards', async () => {
  const one = control()
  await expect(untilLost(one, Promise.resolve('answer'))).resolves.toBe('answer')
  await expect(untilLost(one, Promise.reject(new Error('refused')))).rejects.toThrow('refused')
  one.lose()
})

const told: unknown[] = []
const services = {
  log: { info() {}, warn: (fields: unknown) => void told.push(fields), error() {} },
} as unknown as WorkerServices

/** What a statement fails with that finds no server. */
async function awayError(): Promise<unknown> {
  const nowhere = openDatabase({ host: '/nowhere', port: 1, user: 'x', database: 'x' })
  try {
    return await nowhere.db
      .selectFrom('tenants')
      .select('id')
      .execute()
      .catch((error: unknown) => error)
  } finally {
    await nowhere.close()
  }
}

test('work is done again while the database is away, and each time it is told', async () => {
  const away = await awayError()
  told.length = 0
  let tries = 0
  const work = async () => {
    tries += 1
    if (tries < 3) throw away
    return tries
  }
  expect(await whileHeld(services, control(), work)).toBe(3)
  expect(told).toEqual([
    { execution_id: 'e', err: away },
    { execution_id: 'e', err: away },
  ])
})

test('what the database refuses is not tried again', async () => {
  let tries = 0
  const work = async () => {
    tries += 1
    throw new Error('refused')
  }
  await expect(whileHeld(services, control(), work)).rejects.toThrow('refused')
  expect(tries).toBe(1)
})

test('who loses the execution while the database is away leaves it to the other worker', async () => {
  const away = await awayError()
  const one = control()
  let tries = 0
  const work = async () => {
    tries += 1
    if (tries === 2) one.lose()
    throw away
  }
  await expect(whileHeld(services, one, work)).rejects.toThrow(Stopped)
  expect(tries).toBe(2)
})
