import { expect, test } from 'vitest'
import { importRulesOf } from './import-rules.ts'

const context = (parameters: unknown) => ({ cloudify: { import_resolver: { parameters } } })

test('rules in their order, with what is asked when none fits', () => {
  const rules = [{ 'http://a/': 'http://b/' }, { 'http://c/': 'file:///d/' }]
  const found = { rules: rules.flatMap((rule) => Object.entries(rule)), fallback: true }
  expect(importRulesOf(context({ rules }))).toEqual(found)
  expect(importRulesOf(context({ rules, fallback: true }))).toEqual(found)
  expect(importRulesOf(context({ rules, fallback: false }))).toEqual({ ...found, fallback: false })
})

test.each([
  undefined,
  null,
  'text',
  [],
  {},
  { cloudify: null },
  { cloudify: { import_resolver: [] } },
  context(undefined),
  context({ rules: {} }),
  context({ rules: 'text' }),
])('%j has none', (given) => {
  expect(importRulesOf(given)).toBe(undefined)
})

test('what was written for another manager is passed over', () => {
  const rules = [null, 'text', ['a'], { '': 'empty' }, { a: 7 }, { b: null }, { good: 'one', other: 'two' }]
  expect(importRulesOf(context({ rules }))?.rules).toEqual([
    ['good', 'one'],
    ['other', 'two'],
  ])
})

test('no more than a hundred are asked for each import', () => {
  const rules = Array.from({ length: 150 }, (_, index) => ({ [`http://${index}/`]: 'x' }))
  const found = importRulesOf(context({ rules }))?.rules
  expect(found).toHaveLength(100)
  expect(found?.at(-1)).toEqual(['http://99/', 'x'])
})

test('what objects have by nature is no parameter', () => {
  expect(importRulesOf(Object.create(context({ rules: [] })))).toBe(undefined)
})
