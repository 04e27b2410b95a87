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

test('of a parameter that is given twice the first counts', () => {
  expect(parseListQuery({ _size: ['1', 'x'], _offset: ['2', '3'] }, blueprintFields).page).toEqual({
    size: 1,
    offset: 2,
  })
  expect(() => parseListQuery({ _size: ['x', '1'] }, blueprintFields)).toThrow(/Invalid pagination/)
  expect(parseListQuery({ _all_tenants: ['true', 'false'] }, blueprintFields).allTenants).toBe(true)
})

test('what is neither true nor false is no value that a flag has', () => {
  expect(parseListQuery({ is_hidden: 'maybe' }, blueprintFields).filters).toEqual([
    { field: 'is_hidden', values: [] },
  ])
  expect(parseListQuery({ is_hidden: ['maybe', 'true'] }, blueprintFields).filters).toEqual([
    { field: 'is_hidden', values: [true] },
  ])
  expect(() => parseListQuery({ _environments_only: 'maybe' }, deploymentFields)).toThrow(/must be <true/)
})

test.each(['', '1bad', 'a b', 'x'.repeat(257)])('%j is the name of no stored filter', (_filter_id) => {
  expect(() => parseListQuery({ _filter_id }, deploymentFields)).toThrow(/The `_filter_id` argument/)
})

test.each([
  { _size: '-1' },
  { _size: 'x' },
  { _size: '' },
  { _offset: '' },
  { _offset: '1.5' },
  { _size: '9999999999999999999' },
])('%j is no page', (query) => {
  expect(() => parseListQuery(query, blueprintFields)).toThrow(/Invalid pagination parameter/)
})

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
  for (const _sort of ['', 'id,', '-', '+'])
    expect(() => parseListQuery({ _sort }, blueprintFields)).toThrow(/Sort keys/)
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
  for (const bad of [
    'timestamp,,',
    'timestamp,2026-11-21',
    'message,2026-11-21,',
    'timestamp,x,',
    ',x,',
    ',2026-11-21,',
  ]) {
    expect(() => parseListQuery({ _range: bad }, eventFields)).toThrow()
  }
})
