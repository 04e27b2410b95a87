import { afterAll, beforeAll, expect, test } from 'vitest'
import { blueprintArchive, blueprintText } from '../../../test/archives.ts'
import { addTenant } from '../../../test/fixtures.ts'
import { type Call, callScript, type Gate, openGate } from '../../../test/gate.ts'
import { startTestSystem, type TestSystem } from '../../../test/test-system.ts'

let system: TestSystem
let gate: Gate
beforeAll(async () => {
  gate = await openGate()
  system = await startTestSystem()
  await addTenant(system.db, 'other')
})
afterAll(async () => {
  await system.close()
  await gate.close()
})

/** So many nodes whose creation calls the gate. */
const calling = (who: string, count: number) =>
  blueprintArchive(
    blueprintText({
      node_templates: Object.fromEntries(
        Array.from({ length: count }, (_none, index) => [
          `node_${index}`,
          {
            type: 'cloudify.nodes.Root',
            interfaces: {
              'cloudify.interfaces.lifecycle': {
                create: {
                  implementation: 'call.py',
                  executor: 'central_deployment_agent',
                  inputs: { port: gate.port, who },
                },
              },
            },
          },
        ]),
      ),
    }),
    { 'call.py': callScript },
  )

async function install(tenant: string, who: string, count: number) {
  await system.upload(who, calling(who, count), '', { tenant })
  const made = await system.inject('PUT', `/deployments/${who}`, { tenant, body: { blueprint_id: who } })
  expect(made.status).toBe(201)
  const started = await system.inject('POST', '/executions', {
    tenant,
    body: { deployment_id: who, workflow_id: 'install' },
  })
  expect(started.status).toBe(201)
  return started.body.id as string
}

test('operations of one tenant that wait for long hold up nobody else', async () => {
  // The worker of tests runs eight operations at a time.
  const many = await install('default_tenant', 'many', 12)
  const held: Call[] = []
  while (held.length < 6) held.push(await gate.next())
  const few = await install('other', 'few', 1)
  const call = await gate.next()
  expect(call.who).toBe('few')
  call.answer('ok')
  expect((await system.ended(few)).status).toBe('terminated')
  expect(await system.services.metrics.metrics()).toContain('tutti_queue_running{queue="operations"} 6')
  expect(await system.services.metrics.metrics()).toContain('tutti_queue_waiting{queue="operations"} 6')
  gate.alwaysAnswer('ok')
  for (const one of held) one.answer('ok')
  expect((await system.ended(many)).status).toBe('terminated')
})
