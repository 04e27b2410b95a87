import { expect, test } from 'vitest'
import { withFreeIds } from './free-ids.ts'

const counter = () => {
  let next = 0
  return () => `new${next++}`
}

const instances = [
  { id: 'vm_1', relationships: [] },
  { id: 'db_1', host_id: 'vm_1', relationships: [{ target_id: 'vm_1' }, { target_id: 'elsewhere' }] },
]

test('what is free stays as it is', async () => {
  expect(await withFreeIds(instances, async () => [], counter())).toBe(instances)
})

test('a taken id gets a new ending wherever it is mentioned, until it is free', async () => {
  const taken = new Set(['vm_1', 'vm_new0'])
  const free = await withFreeIds(instances, async (ids) => ids.filter((id) => taken.has(id)), counter())
  expect(free).toEqual([
    { id: 'vm_new1', relationships: [] },
    { id: 'db_1', host_id: 'vm_new1', relationships: [{ target_id: 'vm_new1' }, { target_id: 'elsewhere' }] },
  ])
})

test('of ids that are given twice the first stays', async () => {
  const twice = [
    { id: 'a_b_1', relationships: [] },
    { id: 'a_b_1', relationships: [] },
    { id: 'plain', host_id: null, relationships: [{}] },
    { id: 'plain', host_id: null, relationships: [{}] },
  ]
  const free = await withFreeIds(twice, async () => [], counter())
  expect(free.map(({ id }) => id)).toEqual(['a_b_1', 'a_b_new0', 'plain', 'plain_new1'])
})

test('thousands are asked for in batches', async () => {
  const many = Array.from({ length: 2_500 }, (_, index) => ({ id: `n_${index}`, relationships: [] }))
  const asked: number[] = []
  await withFreeIds(
    many,
    async (ids) => {
      asked.push(ids.length)
      return []
    },
    counter(),
  )
  expect(asked).toEqual([1_000, 1_000, 500])
})
