import fc from 'fast-check'
import { expect, test } from 'vitest'
import { DslError } from '../diagnostic.ts'
import type { Json } from '../json.ts'
import { given, newConversion, nodePlace, toJson, type YamlMap } from './node.ts'
import { readYaml } from './read.ts'

function json(text: string): Json {
  return toJson(readYaml('file:/a.yaml', text), newConversion())
}

function mistake(text: string): DslError {
  try {
    json(text)
  } catch (error) {
    if (error instanceof DslError) return error
    throw error
  }
  throw new Error('expected a mistake')
}

test.each([
  ['yes', true],
  ['Off', false],
  ['017', 15],
  ['0o17', '0o17'],
  ['1:30', 90],
  ['1_000', 1000],
  ['1e3', '1e3'],
  ['1.0e+3', 1000],
  ['0x1F', 31],
  ['0b11', 3],
  ['-12', -12],
  ['.5', 0.5],
  ['~', null],
  ['y', 'y'],
  ["'017'", '017'],
  ['!!str 017', '017'],
  ['1.2.3', '1.2.3'],
])('%s is %j as in YAML 1.1', (text, value) => {
  expect(json(`a: ${text}`)).toEqual({ a: value })
})

test('the last of two equal keys wins, and a merged key gives way to an own one', () => {
  expect(json('a: 1\na: 2\nb: &b {x: 1, y: 2}\nc: {<<: *b, y: 3}\nd: {<<: [{x: 4}, *b]}')).toEqual({
    a: 2,
    b: { x: 1, y: 2 },
    c: { x: 1, y: 3 },
    d: { x: 4, y: 2 },
  })
})

test('a flow collection may go on at any indentation, and places stay those of the author', () => {
  const text = 'a:\n  b: { c:\n    [1,\n 2],\n d: x\n  }\ne: 5'
  expect(json(text)).toEqual({ a: { b: { c: [1, 2], d: 'x' } }, e: 5 })
  const a = given(readYaml('file:/a.yaml', text) as YamlMap, 'a') as YamlMap
  const d = given(given(a, 'b') as YamlMap, 'd')
  expect(d && nodePlace(d)).toEqual({ file: 'file:/a.yaml', line: 5, column: 4 })
})

test('an empty file is an empty mapping', () => {
  expect(json('')).toEqual({})
  expect(json('---\n...\n')).toEqual({})
  expect(json('# nothing\n')).toEqual({})
})

test.each([
  ['a date in data', 'a: 2020-01-02', 1],
  ['an integer beyond exactness', 'a: 12345678901234567890', 1],
  ['a character that is not printable', 'a: "x\0y"', -1],
  ['text beyond ASCII', 'a: "\\u00fc"', 108],
  ['half a surrogate pair', 'a: "\\ud800"', 108],
  ['a second document', 'a: 1\n---\nb: 2', -1],
  ['an alias without anchor', 'a: *b', -1],
  ['an alias within its own anchor', 'a: &a [*a]', -1],
  ['a list as key', '? [a]\n: b', -1],
  ['an unknown tag', 'a: !!python/object:os.system x', -1],
  ['infinity', 'a: .inf', 1],
])('%s is refused', (_name, text, code) => {
  expect(mistake(text).code).toBe(code)
})

test('aliases that multiply are refused in no time', () => {
  const lines = ['a0: &a0 [x, x, x, x, x, x, x, x, x]']
  for (let level = 1; level < 40; level++) {
    lines.push(
      `a${level}: &a${level} [${Array(9)
        .fill(`*a${level - 1}`)
        .join(', ')}]`,
    )
  }
  expect(mistake(lines.join('\n')).message).toMatch(/aliases/)
})

test('nesting beyond the limit is refused', () => {
  expect(mistake(`a: ${'['.repeat(5000)}${']'.repeat(5000)}`).code).toBe(-1)
})

test('keys that objects have anyway are plain keys', () => {
  const value = json('__proto__: {x: 1}\nconstructor: 2')
  expect(JSON.stringify(value)).toBe('{"__proto__":{"x":1},"constructor":2}')
  expect(({} as { x?: number }).x).toBeUndefined()
})

test('JSON is read as the JSON that it is', () => {
  const ascii = fc.string({ unit: 'grapheme-ascii' })
  const value = fc.letrec<{ value: Json }>((tie) => ({
    value: fc.oneof(
      { depthSize: 'small' },
      fc.constant(null),
      fc.boolean(),
      fc.maxSafeInteger(),
      ascii,
      fc.array(tie('value'), { maxLength: 4 }),
      fc.dictionary(ascii, tie('value'), { maxKeys: 4 }),
    ),
  })).value
  fc.assert(
    fc.property(fc.dictionary(ascii, value), (object) => {
      expect(json(JSON.stringify(object))).toEqual(JSON.parse(JSON.stringify(object)))
    }),
  )
})
