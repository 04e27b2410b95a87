import { expect, test } from 'vitest'
import { scaledCount } from './scaled-count.ts'

const group = (members: string[], planned: number) => ({
  members,
  properties: { planned_instances: planned },
})

test('without groups a node has the planned number of instances', () => {
  expect(scaledCount(3, { id: 'vm', hostId: 'vm' }, {})).toBe(3)
  expect(scaledCount(3, { id: 'vm', hostId: 'vm' }, { g: group(['other'], 5) })).toBe(3)
})

test('every group that holds the node or its host multiplies them, through other groups too, once', () => {
  const groups = { inner: group(['vm'], 2), outer: group(['inner', 'app'], 3) }
  expect(scaledCount(1, { id: 'vm', hostId: 'vm' }, groups)).toBe(6)
  expect(scaledCount(2, { id: 'app', hostId: 'vm' }, groups)).toBe(12)
})

test('groups that hold each other are still counted', () => {
  expect(scaledCount(1, { id: 'a', hostId: null }, { x: group(['a', 'y'], 2), y: group(['x'], 2) })).toBe(4)
})
