import fc from 'fast-check'
import { Type } from 'typebox'
import { expect, test } from 'vitest'
import { formatTimestamp, parseBody, parseBoolean, parseParameters, parseTimestamp } from '../index.ts'

test.each([true, 'true', 'True', 'TRUE', '1', 1])('%j is true', (value) => {
  expect(parseBoolean('force', value)).toBe(true)
})

test.each([false, 'false', 'False', '0', 0])('%j is false', (value) => {
  expect(parseBoolean('force', value)).toBe(false)
})

test.each(['abc', '', null, 2, {}])('%j is no boolean', (value) => {
  expect(() => parseBoolean('force', value)).toThrow(/force must be <true\/false>, got/)
})

test('a printed date parses to the same time', () => {
  fc.assert(
    fc.property(
      fc.date({ min: new Date('1970-01-01'), max: new Date('9999-12-31'), noInvalidDate: true }),
      (time) => {
        expect(parseTimestamp(formatTimestamp(time))).toEqual(time)
      },
    ),
  )
})

test.each([
  ['2026-11-21', '2026-11-21T00:00:00.000Z'],
  ['2026-11-21 10:30:00', '2026-11-21T10:30:00.000Z'],
  ['2026-11-21T10:30:00.123456Z', '2026-11-21T10:30:00.123Z'],
  ['2026-11-21T10:30:00.5+02:00', '2026-11-21T08:30:00.500Z'],
])('%s is %s', (text, expected) => {
  expect(formatTimestamp(parseTimestamp(text))).toBe(expected)
})

test.each(['', 'yesterday', '2026-13-01', '2026-02-30', '2026-11-21T25:00:00Z'])('%j is no date', (text) => {
  expect(() => parseTimestamp(text)).toThrow(/is not a legal time format/)
})

const schema = Type.Object({
  name: Type.String(),
  count: Type.Optional(Type.Integer({ minimum: 0 })),
  inputs: Type.Optional(Type.Record(Type.String(), Type.Unknown())),
  force: Type.Optional(Type.Union([Type.Boolean(), Type.Null()])),
})

test('a body is taken as its schema wants it; unknown keys are left out', () => {
  expect(parseBody(schema, { name: 'a', force: 'True', inputs: { x: [1] }, other: 1 })).toEqual({
    name: 'a',
    force: true,
    inputs: { x: [1] },
  })
  expect(parseBody(schema, { name: 'a', force: null })).toEqual({ name: 'a', force: null })
})

test.each([
  [undefined, 'Missing name in json request body'],
  [{ name: 1 }, 'name parameter is expected to be of type str but is of type int'],
  [{ name: 'a', inputs: [] }, 'inputs parameter is expected to be of type dict but is of type list'],
  [{ name: 'a', inputs: null }, 'inputs parameter is expected to be of type dict but is of type NoneType'],
  [{ name: 'a', force: 'maybe' }, 'force must be <true/false>, got maybe'],
  [{ name: 'a', count: -1 }, 'count is invalid'],
  [['a'], 'json request body parameter is expected to be of type dict but is of type list'],
])('the body %j is refused: %s', (body, message) => {
  expect(() => parseBody(schema, body)).toThrow(message)
})

test('query parameters become the types of the schema', () => {
  const query = Type.Object({ summary: Type.Optional(Type.Boolean()), n: Type.Optional(Type.Integer()) })
  expect(parseParameters(query, { summary: 'True', n: '3', _size: '1' })).toEqual({ summary: true, n: 3 })
  expect(() => parseParameters(query, { summary: 'abc' })).toThrow('summary must be <true/false>, got abc')
  expect(() => parseParameters(query, { n: 'abc' })).toThrow(
    'n parameter is expected to be of type int but is of type str',
  )
})
