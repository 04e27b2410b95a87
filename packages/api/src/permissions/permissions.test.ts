import { expect, test } from 'vitest'
import { defaultPermissions, isPermitted, roles } from '../index.ts'

test('the matrix is complete: 248 permissions, held by known roles', () => {
  expect(Object.keys(defaultPermissions)).toHaveLength(248)
  for (const holders of Object.values(defaultPermissions)) {
    for (const role of holders) expect(Object.keys(roles)).toContain(role)
  }
})

test('any one role suffices', () => {
  expect(isPermitted('blueprint_list', ['default', 'viewer'], defaultPermissions)).toBe(true)
  expect(isPermitted('blueprint_upload', ['default', 'operations'], defaultPermissions)).toBe(false)
  expect(isPermitted('version_get', ['default'], defaultPermissions)).toBe(true)
  expect(isPermitted('version_get', [], defaultPermissions)).toBe(false)
  expect(isPermitted('tenant_create', ['manager'], defaultPermissions)).toBe(false)
})

test('the administrator holds every permission', () => {
  for (const holders of Object.values(defaultPermissions)) expect(holders).toContain('sys_admin')
})

test('an edited table counts instead of the default one', () => {
  expect(isPermitted('tenant_create', ['manager'], { tenant_create: ['manager'] })).toBe(true)
})
