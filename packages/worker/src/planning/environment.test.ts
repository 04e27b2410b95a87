import { randomId } from '@tutti/domain/node-instances'
import { parseBlueprint } from '@tutti/dsl'
import { expect, test } from 'vitest'
import { type EnvironmentAnswers, planEnvironment } from './environment.ts'
import { runInThread } from './thread.ts'

const answers: EnvironmentAnswers = {
  constraints: async ({ inputs }) => inputs,
  objects: async (queries) => queries.map(() => true),
  missingSecrets: async () => [],
  takenInstanceIds: async () => [],
}
/** Nobody else plans here. */
const enter = async () => () => undefined
const small = { functions: { steps: 50_000, bytes: 2 ** 20 }, instances: 200 }

async function toPlan(text: string) {
  const outcome = await parseBlueprint({
    text: `tosca_definitions_version: cloudify_dsl_1_5\n${text}`,
    mainFile: 'file:/bp/blueprint.yaml',
    files: new Set(),
    resolve: async () => null,
    now: new Date(0),
  })
  if (!outcome.ok) throw new Error(JSON.stringify(outcome.diagnostics))
  return {
    plan: { text: JSON.stringify(outcome.plan), parts: null },
    inputs: {},
    runtimeOnlyEvaluation: false,
  }
}

const scaled = (instances: number) =>
  `node_types: {t: {}}\nnode_templates: {n: {type: t, capabilities: {scalable: {properties: {default_instances: ${instances}}}}}}`
const replaced = (to: number) =>
  `outputs: {o: {value: {string_replace: ['${'a'.repeat(1000)}', a, '${'b'.repeat(to)}']}}}`

test.each([
  ['instances', scaled(201), '200 node instances'],
  ['functions', replaced(2000), 'string_replace'],
])('what has more %s than one may plan here is planned by a thread', async (_what, text, why) => {
  const environment = await toPlan(text)
  expect(await planEnvironment(environment, answers, randomId, small)).toMatchObject({
    ok: false,
    isTooLarge: true,
    error: expect.stringContaining(why),
  })
  const planned = await runInThread(enter, 'environment', environment, answers)
  expect(planned.ok).toBe(true)
})

test.each([
  ['instances', scaled(1_000_000_000), '200000 node instances'],
  ['functions', replaced(70_000), '64 MiB'],
])('a thread has its bounds of %s too', async (_what, text, why) => {
  const planned = await runInThread(enter, 'environment', await toPlan(text), answers)
  expect(planned).toMatchObject({ ok: false, error: expect.stringContaining(why) })
})

test('instances come as batches of rows, numbered within their node, with ids that nobody has', async () => {
  const asked: number[] = []
  let isFirst = true
  const planned = await runInThread(enter, 'environment', await toPlan(scaled(2500)), {
    ...answers,
    async takenInstanceIds(ids) {
      asked.push(ids.length)
      const taken = isFirst ? ids.slice(0, 3) : []
      isFirst = false
      return taken
    },
  })
  if (!planned.ok) throw new Error(planned.error)
  expect(asked).toEqual([1000, 1000, 500, 1000, 1000, 500])
  const rows = planned.environment.instances.flatMap((text) => JSON.parse(text))
  expect(new Set(rows.map(({ id }) => id)).size).toBe(2500)
  expect(rows.map(({ instance_index }) => instance_index)).toEqual(rows.map((_, index) => index + 1))
})
