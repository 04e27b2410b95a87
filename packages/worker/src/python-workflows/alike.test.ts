import { finish, type StoredOperation } from '@tutti/engine'
import fc from 'fast-check'
import { expect, test } from 'vitest'
import { alikeRows } from './alike.ts'

const parameters = {
  on_success: null,
  on_failure: null,
  retried_task: null,
  current_retries: 0,
  total_retries: 0,
  retry_interval: 0,
  send_task_events: false,
  info: null,
  error: null,
  containing_subgraph: null,
  task_kwargs: {},
}
const row = (id: string, name: string, dependencies: readonly string[]): StoredOperation => ({
  id,
  name,
  type: 'LocalWorkflowTask',
  state: 'pending',
  dependencies,
  parameters,
})

/** Tasks that wait for earlier ones. */
const graphs = fc
  .array(fc.record({ name: fc.constantFrom('x', 'y'), before: fc.array(fc.nat(), { maxLength: 3 }) }), {
    maxLength: 8,
  })
  .map((tasks) =>
    tasks.map(({ name, before }, index) =>
      row(`s${index}`, name, [...new Set(before.filter(() => index > 0).map((at) => `s${at % index}`))]),
    ),
  )

test('a graph that is described again, under other ids and in another order, is the stored one', () => {
  fc.assert(
    fc.property(graphs, fc.infiniteStream(fc.nat()), (rows, order) => {
      const described = rows
        .map(({ id, name, dependencies }) => ({
          key: order.next().value ?? 0,
          row: row(
            `d${id}`,
            name,
            dependencies.map((one) => `d${one}`),
          ),
        }))
        .sort((one, other) => one.key - other.key)
        .map((one) => one.row)
      const retry = rows
        .slice(0, 1)
        .map((one) => ({ ...one, id: 'retry', parameters: { ...parameters, retried_task: one.id } }))
      const names = finish(alikeRows([...rows, ...retry], described))
      expect([...(names?.keys() ?? [])].sort()).toEqual(rows.map(({ id }) => id).sort())
      for (const [stored, task] of names ?? []) {
        expect(described.find(({ id }) => id === task)?.name).toBe(rows.find(({ id }) => id === stored)?.name)
      }
      expect(finish(alikeRows(rows, [...described, row('more', 'x', [])]))).toBeUndefined()
    }),
  )
})

test('what waits for something else is something else', () => {
  const one = [row('a', 'x', []), row('b', 'x', ['a'])]
  const other = [row('c', 'x', []), row('d', 'x', [])]
  expect(finish(alikeRows(one, other))).toBeUndefined()
})
