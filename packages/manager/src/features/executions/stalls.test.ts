import { Client } from 'pg'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { callingBlueprint } from '../../../test/calling-blueprint.ts'
import { type Gate, openGate } from '../../../test/gate.ts'
import { startTestSystem, type TestSystem } from '../../../test/test-system.ts'

const leaseMs = 1_500

let system: TestSystem
let gate: Gate
beforeAll(async () => {
  gate = await openGate()
  system = await startTestSystem({}, { leaseMs })
})
afterAll(async () => {
  await system.close()
  await gate.close()
})

/** Another worker, in the server itself: takes the execution as soon as its lease has run out. */
async function startRival(executionId: string): Promise<() => Promise<void>> {
  const client = new Client(system.connection)
  await client.connect()
  const { promise: began, resolve } = Promise.withResolvers<void>()
  client.once('notice', () => resolve())
  const done = client.query(`do $$
    begin
      raise notice 'began';
      while exists (select from executions where id = '${executionId}' and status = 'started') loop
        update executions set lease_owner = 'rival', lease_fence = lease_fence + 1
        where id = '${executionId}' and lease_expires_at < clock_timestamp();
        perform pg_sleep(0.01);
      end loop;
    end $$`)
  await began
  return () => done.then(() => client.end())
}

/** The event loop of the worker does not turn for so long. */
function stall(ms: number): void {
  Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, ms)
}

test('a worker whose event loop stands still for longer than its lease keeps what it runs', async () => {
  await system.upload('slow', callingBlueprint(gate.port))
  await system.deploy('slow', 'slow')
  const id = await system.start('slow', 'install')
  const first = await gate.next()
  const rivalIsDone = await startRival(id)
  stall(1.5 * leaseMs)
  first.answer('ok')
  const second = await gate.next()
  stall(1.5 * leaseMs)
  second.answer('ok')
  expect((await system.ended(id)).status).toBe('terminated')
  await rivalIsDone()
  expect(gate.seen).toEqual(['first create', 'second create'])
  const row = await system.db.selectFrom('executions').select('lease_fence').where('id', '=', id).execute()
  expect(row).toEqual([{ lease_fence: 1 }])
})
