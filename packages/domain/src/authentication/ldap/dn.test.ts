import { assert, property, string } from 'fast-check'
import { expect, test } from 'vitest'
import { dnKey, domainDn, escapeDnValue } from './dn.ts'

test('a value that is written into a name is one value, whatever it holds', () => {
  assert(
    property(string({ unit: 'grapheme' }), (value) => {
      const key = dnKey(`uid=${escapeDnValue(value)},dc=x`)
      expect(key).toBe(JSON.stringify(['uid', '=', value.toLowerCase(), ',', 'dc', '=', 'x']))
    }),
  )
  for (const value of [',', '+', '=', '\\', '"', '#a', ' a ', '  ', '\0', 'a\\2c', 'ä', '😀', '<>;']) {
    const key = dnKey(`uid=${escapeDnValue(value)},dc=x`)
    expect(key, value).toBe(JSON.stringify(['uid', '=', value.toLowerCase(), ',', 'dc', '=', 'x']))
  }
})

test.each([
  ['CN=Ops, OU=Groups,DC=example , DC=org', 'cn=ops,ou=groups,dc=example,dc=org', true],
  ['cn=a\\, b,dc=x', 'cn=a\\2c b,dc=x', true],
  ['cn=\\C3\\84,dc=x', 'cn=ä,dc=x', true],
  ['cn=a\\ ,dc=x', 'cn=a,dc=x', false],
  ['cn=a,dc=x', 'cn=a,dc=x,dc=y', false],
  ['cn=a\\,dc=x', 'cn=a,dc=x', false],
])('%s and %s: the same entry is %s', (one, other, isSame) => {
  expect(dnKey(one) === dnKey(other)).toBe(isSame)
})

test('a domain is a name', () => {
  expect(domainDn('example.org')).toBe('dc=example,dc=org')
})
