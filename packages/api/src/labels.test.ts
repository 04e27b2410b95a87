import fc from 'fast-check'
import { expect, test } from 'vitest'
import { parseLabels, parseLabelsText } from './index.ts'

test('every form of labels means the same pairs', () => {
  const expected = [
    { key: 'env', value: 'Prod' },
    { key: 'tier', value: 'a' },
    { key: 'tier', value: 'b' },
  ]
  expect(parseLabels([{ ENV: 'Prod' }, { tier: ['a', 'b'] }])).toEqual(expected)
  expect(parseLabels(expected)).toEqual(expected)
  expect(parseLabelsText('env=Prod,tier=a,tier=b')).toEqual(expected)
})

test('a label whose key is called key or value is still a label', () => {
  expect(parseLabels([{ key: 'a' }])).toEqual([{ key: 'key', value: 'a' }])
})

test('commas and equals signs of a value are escaped in a query', () => {
  expect(parseLabelsText('a=x\\,y,b=c=d')).toEqual([
    { key: 'a', value: 'x,y' },
    { key: 'b', value: 'c=d' },
  ])
})

const value = fc.stringMatching(/^[^\p{Cc}"\\]{1,40}$/u).map((text) => text.normalize('NFKC'))
const key = fc.stringMatching(/^[a-z][a-z0-9._~]{0,20}$/)

test('printed pairs parse to themselves', () => {
  fc.assert(
    fc.property(
      fc.uniqueArray(fc.record({ key, value }), { selector: (l) => `${l.key} ${l.value}` }),
      (labels) => {
        fc.pre(labels.every(({ value: text }) => text.length > 0 && !/[\p{Cc}"\\]/u.test(text)))
        const text = labels.map((label) => `${label.key}=${label.value.replaceAll(',', '\\,')}`).join(',')
        expect(parseLabelsText(text)).toEqual(labels)
      },
    ),
  )
})

test.each([
  ['a', /list of 1-entry/],
  [['a'], /list of 1-entry/],
  [[{ a: 1 }], /list of 1-entry/],
  [[{ a: 'b', c: 'd' }], /list of 1-entry/],
  [[{ key: 'a', value: 'b' }, { c: 'd' }], /list of 1-entry/],
  [[{ 'a b': 'c' }], /illegal characters/],
  [[{ a: 'x"' }], /contains control characters or/],
  [[{ a: 'b' }, { A: 'b' }], /same label twice/],
  [[{ 'csys-mine': 'b' }], /reserved/],
  [[{ 'csys-location-lat': '91' }], /from -90 to 90/],
])('%j is refused', (labels, message) => {
  expect(() => parseLabels(labels)).toThrow(message)
})

test('reserved keys are allowed, and object types are stored in lower case', () => {
  expect(parseLabels([{ 'csys-obj-type': 'Environment' }, { 'csys-location-long': '-179.5' }])).toEqual([
    { key: 'csys-obj-type', value: 'environment' },
    { key: 'csys-location-long', value: '-179.5' },
  ])
})
