import { ApiError } from '@tutti/api'
import { LeaseLost, type Transaction } from '@tutti/storage'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { heldExecutions } from '../../test/held-execution.ts'
import { beginSystemWorkflow, changeWhileHeld, endSystemWorkflow, type SystemEnd } from './steps.ts'

let held: Awaited<ReturnType<typeof heldExecutions>>
beforeAll(async () => {
  held = await heldExecutions()
})
afterAll(() => held.close())

/** A change that can be seen afterwards. */
const leaves = (name: string) => async (transaction: Transaction) => {
  await transaction.insertInto('tenants').values({ name }).execute()
}
const left = async (prefix: string) =>
  (await held.db.selectFrom('tenants').select('name').where('name', 'like', `${prefix}%`).execute()).map(
    ({ name }) => name,
  )

async function begun() {
  const { execution, control } = await held.take('upload_blueprint')
  expect(await beginSystemWorkflow(held.services, execution, control)).toBe(true)
  return {
    execution,
    control,
    end: (end: SystemEnd) => endSystemWorkflow(held.services, execution, control, end),
    seen: () => held.seen(execution.id),
  }
}

test('its start is told once, however often it is begun again', async () => {
  const { execution, control, seen } = await begun()
  expect(await beginSystemWorkflow(held.services, execution, control)).toBe(true)
  expect(await seen()).toEqual({ status: 'started', error: '', events: ['workflow_started'] })
})

test('what was cancelled before is not begun', async () => {
  const { execution, control } = await held.take('upload_blueprint')
  await held.setStatus(execution.id, 'cancelling')
  expect(await beginSystemWorkflow(held.services, execution, control)).toBe(false)
  await endSystemWorkflow(held.services, execution, control, { change: leaves('a-1'), undo: leaves('a-2') })
  expect(await held.seen(execution.id)).toMatchObject({ status: 'cancelled', events: ['workflow_cancelled'] })
  expect(await left('a-')).toEqual(['a-2'])
})

test('results, end and event come together, once', async () => {
  const { end, seen } = await begun()
  await end({ change: leaves('b-1'), afterwards: leaves('b-2'), undo: leaves('b-3') })
  // The answer to the commit got lost, so it is tried again.
  await end({ change: leaves('b-4') })
  expect(await left('b-')).toEqual(['b-1', 'b-2'])
  expect(await seen()).toEqual({
    status: 'terminated',
    error: '',
    events: ['workflow_started', 'workflow_succeeded'],
  })
})

test('a cancel request that came before the end wins', async () => {
  const { execution, end, seen } = await begun()
  await held.setStatus(execution.id, 'force_cancelling')
  await end({ change: leaves('c-1'), afterwards: leaves('c-2'), undo: leaves('c-3') })
  expect(await left('c-')).toEqual(['c-3'])
  expect(await seen()).toMatchObject({ status: 'cancelled', error: '' })
})

test('results that what is stored does not allow make it fail, and nothing of them stays', async () => {
  const { end, seen } = await begun()
  await end({
    async change(transaction) {
      await leaves('d-1')(transaction)
      throw new ApiError('conflict_error', 'it is taken by now')
    },
    undo: leaves('d-2'),
  })
  expect(await left('d-')).toEqual([])
  expect(await seen()).toEqual({
    status: 'failed',
    error: 'it is taken by now',
    events: ['workflow_started', 'workflow_failed'],
  })
})

test('any other error leaves it as it was, for whoever goes on', async () => {
  const { end, seen } = await begun()
  const change = async () => {
    throw new TypeError('broken')
  }
  await expect(end({ change })).rejects.toThrow('broken')
  expect(await seen()).toMatchObject({ status: 'started', events: ['workflow_started'] })
})

test('whose lease is lost changes nothing, begins nothing and ends nothing', async () => {
  const { execution, control } = await begun()
  await held.db
    .updateTable('executions')
    .set({ lease_fence: execution.lease_fence + 1 })
    .where('id', '=', execution.id)
    .execute()
  const { services } = held
  await expect(changeWhileHeld(services, control, leaves('e-1'))).rejects.toThrow(LeaseLost)
  await expect(beginSystemWorkflow(services, execution, control)).rejects.toThrow(LeaseLost)
  const ending = endSystemWorkflow(services, execution, control, { change: leaves('e-2') })
  await expect(ending).rejects.toThrow(LeaseLost)
  expect(await left('e-')).toEqual([])
  expect(await held.seen(execution.id)).toMatchObject({ status: 'started' })
})
