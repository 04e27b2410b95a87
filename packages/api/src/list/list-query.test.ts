import { expect, test } from 'vitest'
import { blueprintFields, deploymentFields, eventFields, operationFields, parseListQuery } from '../index.ts'

const byCreation = { by: 'field', key: 'created_at', direction: 'ascending' }

test('nothing asked for is everything, a thousand at a time, oldest first', () => {
  expect(parseListQuery({}, blueprintFields)).toEqual({
    page: { size: 1000, offset: 0 },
    getAllResults: false,
    sort: [byCreation],
    filters: [],
    ranges: [],
    include: undefined,
    isLight: false,
    search: undefined,
    searchName: undefined,
    allTenants: false,
    filterId: undefined,
  })
})

test('a page may be smaller, never larger than the limit', () => {
  expect(parseListQuery({ _size: '0', _offset: '7' }, blueprintFields).page).toEqual({ size: 0, offset: 7 })
  expect(parseListQuery({ _size: '5000' }, blueprintFields).page.size).toBe(1000)
  expect(parseListQuery({}, blueprintFields, { pageSize: 10 }).page.size).toBe(10)
  expect(parseListQuery({ _size: '50' }, blueprintFields, { pageSize: 10 }).page.size).toBe(50)
  expect(parseListQuery({ _size: '5000' }, blueprintFields, { pageSize: 2000 }).page.size).toBe(2000)
})

test.each([{ _size: '-1' }, { _size: 'x' }, { _offset: '1.5' }, { _size: '9999999999999999999' }])(
  '%j is no page',
  (query) => {
    expect(() => parseListQuery(query, blueprintFields)).toThrow(/Invalid pagination parameter/)
  },
)

test('sort keys are applied in the order given, before the default order', () => {
  expect(parseListQuery({ _sort: ['-id', '+state'] }, blueprintFields).sort).toEqual([
    { by: 'field', key: 'id', direction: 'descending' },
    { by: 'field', key: 'state', direction: 'ascending' },
    byCreation,
  ])
  expect(parseListQuery({ _sort: '-created_at' }, blueprintFields).sort).toEqual([
    { ...byCreation, direction: 'descending' },
  ])
  expect(parseListQuery({ _sort: 'label:Env' }, deploymentFields).sort[0]).toEqual({
    by: 'label',
    key: 'env',
    direction: 'ascending',
  })
  expect(() => parseListQuery({ _sort: 'nope' }, blueprintFields)).toThrow(
    "Sort keys '['nope']' do not exist",
  )
})

test('every other key filters on a field: repeated values are alternatives', () => {
  const query = { id: ['a', 'b'], is_hidden: 'False', _unknown: 'x' }
  expect(parseListQuery(query, blueprintFields).filters).toEqual([
    { field: 'id', values: ['a', 'b'] },
    { field: 'is_hidden', values: [false] },
  ])
  expect(() => parseListQuery({ nope: 'x' }, blueprintFields)).toThrow("Filter keys '['nope']' do not exist")
  expect(() => parseListQuery({ plan: 'x' }, blueprintFields)).toThrow(/Filter keys/)
})

test("an endpoint's own parameters are no filters", () => {
  const own = ['graph_id', 'skip_internal']
  expect(parseListQuery({ graph_id: 'g', state: 'sent' }, operationFields, { own }).filters).toEqual([
    { field: 'state', values: ['sent'] },
  ])
})

test('_include names fields; events leave unknown ones out', () => {
  const light = parseListQuery({ _include: 'id, state,id' }, blueprintFields)
  expect([light.include, light.isLight]).toEqual([['id', 'state'], true])
  expect(parseListQuery({ _include: 'id,plan' }, blueprintFields).isLight).toBe(false)
  expect(() => parseListQuery({ _include: 'nope' }, blueprintFields)).toThrow("Include keys '['nope']'")
  expect(parseListQuery({ _include: 'message,nope' }, eventFields).include).toEqual(['message'])
})

test('ranges may be open at one end and use the older spelling', () => {
  expect(parseListQuery({ _range: '@timestamp,2026-11-21,' }, eventFields).ranges).toEqual([
    { field: 'timestamp', from: new Date('2026-11-21') },
  ])
  expect(parseListQuery({ _range: 'reported_timestamp,,2026-11-21T01:00:00Z' }, eventFields).ranges).toEqual([
    { field: 'reported_timestamp', to: new Date('2026-11-21T01:00:00Z') },
  ])
  for (const bad of ['timestamp,,', 'timestamp,2026-11-21', 'message,2026-11-21,', 'timestamp,x,']) {
    expect(() => parseListQuery({ _range: bad }, eventFields)).toThrow()
  }
})
