import { afterAll, beforeAll, expect, test } from 'vitest'
import { startTestSystem, type TestSystem } from '../../../test/test-system.ts'

let system: TestSystem
beforeAll(async () => {
  system = await startTestSystem()
  await system.upload('plain')
})
afterAll(() => system.close())

/** The same numbers in every run. */
function numbers(seed: number) {
  let state = seed
  return (below: number) => {
    state = (state * 48_271) % 2_147_483_647
    return state % below
  }
}

const names = ['a', 'b', 'c']

async function request(pick: (below: number) => number) {
  const id = names[pick(names.length)]
  const { items } = (await system.inject('GET', `/executions?deployment_id=${id}&_include=id,status`)).body
  const execution = items[pick(Math.max(1, items.length))]?.id ?? 'none'
  const start = (body: object) =>
    ['POST', '/executions', { deployment_id: id, workflow_id: 'install', ...body }] as const
  const act = (action: string) => ['POST', `/executions/${execution}`, { action }] as const
  const kinds = [
    () => ['PUT', `/deployments/${id}`, { blueprint_id: 'plain' }] as const,
    () => ['PUT', `/deployments/${id}?async_create=true`, { blueprint_id: 'plain' }] as const,
    () => ['DELETE', `/deployments/${id}`, undefined] as const,
    () => ['DELETE', `/deployments/${id}?force=true`, undefined] as const,
    () => start({}),
    () => start({ queue: true }),
    () => start({ queue: true, workflow_id: 'uninstall' }),
    () => act('cancel'),
    () => act('kill'),
    () => act('resume'),
    () => act('requeue'),
    () => ['PATCH', `/deployments/${id}`, { labels: [{ a: `${pick(5)}` }] }] as const,
    () => ['PATCH', `/executions/${execution}`, { status: 'cancelled' }] as const,
    () => ['DELETE', '/executions', { keep_last: 3 }] as const,
  ]
  const [method, path, body] = kinds[pick(kinds.length)]?.() ?? start({})
  return {
    what: `${method} ${path} ${JSON.stringify(body)}`,
    ...(await system.inject(method, path, { body })),
  }
}

test('whatever comes together, nothing breaks, hangs or is left half done', async () => {
  const answers = (
    await Promise.all(
      [1, 2, 3, 4, 5, 6].map(async (seed) => {
        const pick = numbers(seed * 7_919)
        const seen = []
        for (let round = 0; round < 25; round += 1) seen.push(await request(pick))
        return seen
      }),
    )
  ).flat()
  for (const { what, status, body } of answers) {
    const isFine = status < 300 || (status < 500 && typeof body.error_code === 'string')
    if (!isFine) expect({ what, status, body }).toBe('an answer of the API')
  }

  // Everything comes to an end by itself.
  for (;;) {
    const unfinished = await system.db
      .selectFrom('executions')
      .select('id')
      .where('status', 'not in', ['terminated', 'failed', 'cancelled'])
      .execute()
    const [first] = unfinished
    if (first === undefined) break
    await system.services.executionEnds.wait(0, first.id, 60_000)
  }
  const failed = await system.db
    .selectFrom('executions')
    .select(['workflow_id', 'error'])
    .where('status', '=', 'failed')
    .where('error', 'not like', 'Error preparing execution: %')
    .where('error', 'not like', 'Error dequeueing execution: %')
    .execute()
  expect(failed).toEqual([])
  for (const id of names) {
    const { status, body } = await system.inject('GET', `/deployments/${id}`)
    const instances = (await system.inject('GET', `/node-instances?deployment_id=${id}`)).body.items
    if (status === 404) expect(instances).toEqual([])
    else {
      const creation = (await system.inject('GET', `/executions/${body.create_execution}`)).body
      expect(instances).toHaveLength(creation.status === 'terminated' ? 1 : 0)
      expect(body.labels.length).toBeLessThanOrEqual(1)
    }
  }
})

test('one at a time holds under any number of requests', async () => {
  await system.deploy('one', 'plain')
  const start = (body = {}) =>
    system.inject('POST', '/executions', {
      body: {
        deployment_id: 'one',
        workflow_id: 'execute_operation',
        parameters: { operation: 'cloudify.interfaces.lifecycle.create' },
        ...body,
      },
    })
  const answers = await Promise.all(
    Array.from({ length: 20 }, (_, index) => start({ queue: index % 2 === 0 })),
  )
  for (const { body } of answers) if (body.id !== undefined) await system.ended(body.id)
  const spans = (await system.inject('GET', '/executions?deployment_id=one&_sort=started_at')).body.items
    .filter((one: { started_at: string | null }) => one.started_at !== null)
    .map((one: { started_at: string; ended_at: string }) => [one.started_at, one.ended_at])
  expect(spans.length).toBeGreaterThan(10)
  for (let at = 1; at < spans.length; at += 1) expect(spans[at][0] >= spans[at - 1][1]).toBe(true)
})
