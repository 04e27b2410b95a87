import { expect, test } from 'vitest'
import './exact-json.ts'

/** Written as clients of other languages write it: all that is not ASCII is escaped. */
const ascii = (value: unknown) =>
  JSON.stringify(value).replace(
    /[\u007f-\uffff]/g,
    (one) => `\\u${one.charCodeAt(0).toString(16).padStart(4, '0')}`,
  )

test.each([
  ['{"a":[],"gr\\\\u0":0}', '{"a":1,"gr\\u00f6\\u00dfe":1}', ['a', 'größe']],
  ['{"h":[],"\\\\":0}', '{"h":1,"\\"":2}', ['h', '"']],
  ['{"h":[],"\\\\":0}', '{"h":1,"\\n" : 2}', ['h', '\n']],
])('after %s, %s has its own keys', (before, text, keys) => {
  JSON.parse(before)
  expect(Object.keys(JSON.parse(text))).toEqual(keys)
})

test('what is written is read, whatever its keys are', () => {
  const names = [
    '"',
    '\\',
    '\n',
    '\r',
    ']\\r',
    ']\r,',
    '\u0001',
    '\ud800',
    'ä',
    'größe',
    'gr\\u0',
    '__proto__',
  ]
  names.push('1', '', 'a', ':', '":', '\\"', '\ue000', '\ue0000_0', '\ue0000_1', 'constructor')
  let seed = 1
  const pick = (upTo: number) => {
    seed = (seed * 48_271) % 2_147_483_647
    return seed % upTo
  }
  const text = (depth: number): string => {
    if (depth === 0 || pick(5) === 0) return ascii(names[pick(names.length)])
    const parts = Array.from({ length: pick(4) }, () => text(depth - 1))
    if (pick(3) === 0) return `[${parts.join(', ')}]`
    const unused = [...names]
    return `{${parts.map((part) => `${ascii(unused.splice(pick(unused.length), 1)[0])} : ${part}`).join()}}`
  }
  for (let round = 0; round < 5_000; round += 1) {
    const given = text(4)
    expect(orderless(ascii(JSON.parse(given)))).toBe(orderless(given))
  }
})

/** Names that are numbers come first in objects. */
const orderless = (text: string) => [...text.replaceAll(' ', '')].sort().join('')

test('of a name that comes twice, the last counts', () => {
  expect(JSON.stringify(JSON.parse('{"\\n":1,"b":2,"\\u000a":3}'))).toBe('{"\\n":3,"b":2}')
})

test('what is no JSON is refused as before, and so is no text', () => {
  for (const text of ['{"\\n":1', '{"\\x":1}', '"\\', '{"\\n":1}}', '\\":', '"a\\"":1', '']) {
    expect(() => JSON.parse(text)).toThrow(SyntaxError)
  }
  expect(JSON.parse('{"\\n":1}', (key, value) => (key === '' ? value : 2))).toEqual({ '\n': 2 })
})

test('depth and length are no matter', () => {
  const deep = `${'['.repeat(50_000)}{"\\n":1}${']'.repeat(50_000)}`
  let value: unknown = JSON.parse(deep)
  while (Array.isArray(value)) value = value[0]
  expect(value).toEqual({ '\n': 1 })
  const long = JSON.stringify('\\"\n'.repeat(1_000_000))
  expect(JSON.parse(`{"a":${long},"\\"":${long}}`)['"']).toHaveLength(3_000_000)
})
