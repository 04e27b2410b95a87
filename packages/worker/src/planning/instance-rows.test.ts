import type { DeploymentPlan } from '@tutti/dsl'
import { expect, test } from 'vitest'
import { instanceRows } from './instance-rows.ts'

type Instance = DeploymentPlan['node_instances'][number]

const instance = (id: string, more: Partial<Instance> = {}): Instance => ({
  id,
  node_id: id.slice(0, id.lastIndexOf('_')),
  name: id.slice(0, id.lastIndexOf('_')),
  relationships: [],
  ...more,
})

test('indexes count the instances of a node from 1, across batches', () => {
  const web = Array.from({ length: 1_500 }, (_, index) => instance(`web_${index}`))
  const mixed = web.flatMap((one, index) => (index % 500 === 0 ? [one, instance(`db_${index}`)] : [one]))
  const batches = instanceRows(mixed).map(
    (batch) => JSON.parse(batch) as { id: string; node_id: string; instance_index: number }[],
  )
  expect(batches.map(({ length }) => length)).toEqual([1_000, 503])
  const rows = batches.flat()
  expect(rows.map(({ id }) => id)).toEqual(mixed.map(({ id }) => id))
  expect(rows.filter(({ node_id }) => node_id === 'db').map((row) => row.instance_index)).toEqual([1, 2, 3])
  expect(rows.filter(({ node_id }) => node_id === 'web').at(-1)?.instance_index).toBe(1_500)
})

test('what a plan leaves out is stored as nothing', () => {
  expect(instanceRows([])).toEqual([])
  expect(JSON.parse(instanceRows([instance('web_a')])[0] ?? '')).toMatchObject([
    { host_id: null, scaling_groups: [] },
  ])
})
