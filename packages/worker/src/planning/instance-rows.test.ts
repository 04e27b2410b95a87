import type { DeploymentPlan } from '@tutti/dsl'
import { expect, test } from 'vitest'
import { instanceRows, withFreeIds } from './instance-rows.ts'

type Instance = DeploymentPlan['node_instances'][number]

const instance = (id: string, more: Partial<Instance> = {}): Instance => ({
  id,
  node_id: id.slice(0, id.lastIndexOf('_')),
  name: id.slice(0, id.lastIndexOf('_')),
  relationships: [],
  ...more,
})

const relationship = (target: string): Instance['relationships'][number] => ({
  type: 'cloudify.relationships.contained_in',
  target_name: target.slice(0, target.lastIndexOf('_')),
  target_id: target,
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

test('free ids are left as they are', async () => {
  const instances = [instance('web_a')]
  expect(
    await withFreeIds(
      instances,
      async () => [],
      () => 'never',
    ),
  ).toBe(instances)
})

test('a taken id has a new ending wherever it is mentioned, also when the new one is taken', async () => {
  const taken = new Set(['my_vm_a', 'my_vm_b'])
  const endings = ['b', 'c'].values()
  const renamed = await withFreeIds(
    [
      instance('my_vm_a', { host_id: 'my_vm_a' }),
      instance('web_a', {
        host_id: 'my_vm_a',
        relationships: [relationship('my_vm_a'), relationship('net_a')],
      }),
      instance('net_a'),
    ],
    async (ids) => ids.filter((id) => taken.has(id)),
    () => endings.next().value ?? '',
  )
  expect(renamed).toEqual([
    instance('my_vm_c', { host_id: 'my_vm_c' }),
    instance('web_a', {
      host_id: 'my_vm_c',
      relationships: [relationship('my_vm_c'), relationship('net_a')],
    }),
    instance('net_a'),
  ])
})

test('the database is asked for a thousand ids at once', async () => {
  const asked: number[] = []
  const instances = Array.from({ length: 2_001 }, (_, index) => instance(`web_${index}`))
  await withFreeIds(
    instances,
    async (ids) => {
      asked.push(ids.length)
      return []
    },
    () => '',
  )
  expect(asked).toEqual([1_000, 1_000, 1])
})
