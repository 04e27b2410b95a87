import { expect, test } from 'vitest'
import { run, type Script, type World, world } from '../../test/memory-runner.ts'
import { loadGraphs, newStore } from '../../test/memory-store.ts'
import { deployment, type NodeSketch } from '../../test/model-builder.ts'
import type { JsonObject } from '../json.ts'

async function checked(
  workflow: 'check_status' | 'check_drift',
  sketches: readonly NodeSketch[],
  script: Script = () => ({}),
  parameters: JsonObject = {},
  changed: Partial<World> = {},
) {
  const model = deployment(
    sketches.map((sketch) => ({ state: 'started', ...sketch })),
    { taskRetries: 2 },
  )
  const at = { ...world(model, script, workflow, parameters), ...changed }
  const memory = newStore()
  const end = await run(at, memory)
  return {
    end,
    memory,
    found: Object.fromEntries(memory.systemProperties),
    executed: at.executions.map(({ key }) => key),
    graphs: loadGraphs(memory).map(({ name }) => name),
  }
}

const no: Script = () => ({ error: { type: 'NotThere', message: 'no answer' } })

test('a status is recorded as it is found, at once, and a bad one fails the workflow', async () => {
  const operations = ['validation.check_status']
  const well = await checked('check_status', [{ id: 'a', operations }], () => ({ result: { up: 1 } }))
  expect(well.end).toEqual({ status: 'succeeded' })
  expect(well.graphs).toEqual(['check_status'])
  expect(well.found).toEqual({
    a_1: {
      status: {
        ok: true,
        timestamp: '1970-01-01T00:16:41.000Z',
        task: expect.any(String),
        result: { up: 1 },
      },
    },
  })
  const ill = await checked(
    'check_status',
    [
      { id: 'a', operations },
      { id: 'b', operations },
    ],
    (key) => (key.startsWith('a') ? no(key, 0) : {}),
  )
  expect(ill.executed).toHaveLength(2)
  expect(ill.end).toMatchObject({ status: 'failed', error: expect.stringContaining('no answer') })
  expect(ill.found).toMatchObject({
    a_1: { status: { ok: false, result: 'no answer' } },
    b_1: { status: { ok: true } },
  })
})

test('drift is recorded of instances, then of both sides of their relationships', async () => {
  const operations = ['lifecycle.check_drift']
  const { executed, found, end } = await checked(
    'check_drift',
    [
      {
        id: 'app',
        operations,
        relationships: [{ to: 'db', source: ['check_drift'], target: ['check_drift'] }],
      },
      { id: 'db', operations },
    ],
    (key) => ({ result: key === 'app_1 lifecycle.check_drift' ? null : { differs: key } }),
  )
  expect(end).toEqual({ status: 'succeeded' })
  expect(executed).toEqual([
    'db_1 lifecycle.check_drift',
    'app_1 lifecycle.check_drift',
    'app_1 relationship_lifecycle.check_drift to db_1',
    'db_1 relationship_lifecycle.check_drift from app_1',
  ])
  const drift = (result: unknown) => ({ ok: true, result })
  expect(found).toMatchObject({
    app_1: {
      configuration_drift: drift(null),
      source_relationships_configuration_drift: {
        db_1: drift({ differs: 'app_1 relationship_lifecycle.check_drift to db_1' }),
      },
    },
    db_1: {
      configuration_drift: drift({ differs: 'db_1 lifecycle.check_drift' }),
      target_relationships_configuration_drift: {
        app_1: drift({ differs: 'db_1 relationship_lifecycle.check_drift from app_1' }),
      },
    },
  })
})

test('a check of drift that fails is tried again, and recorded when it has failed for good', async () => {
  const { executed, found, end } = await checked(
    'check_drift',
    [{ id: 'a', operations: ['lifecycle.check_drift'] }],
    no,
  )
  expect(executed).toHaveLength(3)
  expect(end).toMatchObject({ status: 'failed' })
  expect(found).toMatchObject({ a_1: { configuration_drift: { ok: false, result: 'no answer' } } })
})

test('only what is selected is checked, and a dry run records nothing', async () => {
  const operations = ['validation.check_status']
  const nodes = [
    { id: 'a', operations },
    { id: 'b', operations },
  ]
  const some = await checked('check_status', nodes, undefined, { node_ids: ['b'] })
  expect(some.executed).toEqual(['b_1 validation.check_status'])
  const dry = await checked('check_status', nodes, undefined, {}, { dryRun: true })
  expect([dry.executed, dry.found]).toEqual([[], {}])
})
