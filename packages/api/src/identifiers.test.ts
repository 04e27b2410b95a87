import fc from 'fast-check'
import { expect, test } from 'vitest'
import { checkDisplayName, checkIdentifier, parseCreateVisibility, parseSetVisibility } from './index.ts'
import { checkGlobalAllowed, checkWidening } from './visibility.ts'

test('letters, digits, - . _ ~ after a letter are an id', () => {
  fc.assert(
    fc.property(fc.stringMatching(/^[A-Za-z][A-Za-z0-9\-._~]{0,255}$/), (id) => {
      expect(checkIdentifier('blueprint_id', id)).toBe(id)
    }),
  )
})

test.each([
  ['', 'is empty'],
  ['a'.repeat(257), 'is too long. Maximum allowed length is 256 characters'],
  ['a b', 'contains illegal characters'],
  ['a/b', 'contains illegal characters'],
  ['ä', 'contains illegal characters'],
  ['1a', 'must begin with a letter'],
])('%j is no id: %s', (id, message) => {
  expect(() => checkIdentifier('blueprint_id', id)).toThrow(`The \`blueprint_id\` argument ${message}`)
})

test('a deployment of v3.1 may start with anything legal', () => {
  expect(checkIdentifier('deployment_id', '1-a', 'any')).toBe('1-a')
})

test('a display name is normalised and may hold anything but control characters', () => {
  expect(checkDisplayName('Ａpp ☃')).toBe('App ☃')
  expect(() => checkDisplayName('a\nb')).toThrow(/control characters/)
})

test('visibility defaults to tenant, understands private_resource, never both', () => {
  expect(parseCreateVisibility({})).toBe('tenant')
  expect(parseCreateVisibility({ private_resource: 'True' })).toBe('private')
  expect(() => parseCreateVisibility({ visibility: 'tenant', private_resource: true })).toThrow(/together/)
  expect(() => parseCreateVisibility({ visibility: 'x' })).toThrow(
    "Invalid visibility: `x`. Valid visibility's values are: ['private', 'tenant', 'global']",
  )
  expect(() => parseSetVisibility('private')).toThrow("are: ['tenant', 'global']")
})

test('visibility only widens, and global needs the right', () => {
  checkWidening('a', 'tenant', 'global')
  checkWidening('a', 'tenant', 'tenant')
  expect(() => checkWidening('a', 'global', 'tenant')).toThrow('already has wider visibility')
  checkGlobalAllowed('global', 'bob', true)
  expect(() => checkGlobalAllowed('global', 'bob', false)).toThrow(/not permitted/)
})
