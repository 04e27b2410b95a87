import { createDirectory, type Directory } from '@tutti/domain/authentication'
import { listen } from '@tutti/storage'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { addBlueprint, addTenant, addUser } from '../../test/fixtures.ts'
import { startTestManager, type TestManager } from '../../test/test-manager.ts'

let manager: TestManager
let directory: Directory
let listener: { close(): Promise<void> }

beforeAll(async () => {
  manager = await startTestManager()
  directory = createDirectory(manager.db)
  const { promise, resolve } = Promise.withResolvers<void>()
  listener = listen(manager.connection, directory.onNotification, (isListening) => {
    directory.onListening(isListening)
    if (isListening) resolve()
  })
  await promise
})
afterAll(async () => {
  await listener.close()
  await manager.close()
})

/** Asks memory again and again: the notification is on its way. */
const comes = (read: () => Promise<unknown>, expected: unknown) =>
  expect.poll(read, { timeout: 60_000, interval: 5 }).toEqual(expected)

test('what is remembered is the same object until something changes it, wherever the change comes from', async () => {
  const { db } = manager
  const lab = await addTenant(db, 'lab')
  const id = await addUser(db, 'alice', { tenants: { 0: 'user' } })
  expect((await directory.remembered.user('ALICE'))?.tenantRoles).toEqual({ 0: ['user'] })
  await expect
    .poll(
      async () => (await directory.remembered.user('alice')) === (await directory.remembered.user('Alice')),
    )
    .toBe(true)

  await db.insertInto('user_tenants').values({ tenant_id: lab, user_id: id, role: 'viewer' }).execute()
  await comes(async () => (await directory.remembered.user('alice'))?.tenantRoles, {
    0: ['user'],
    [lab]: ['viewer'],
  })
  const group = await db
    .insertInto('user_groups')
    .values({ name: 'operators', role: 'sys_admin' })
    .returning('id')
    .executeTakeFirstOrThrow()
  await db.insertInto('user_group_members').values({ group_id: group.id, user_id: id }).execute()
  await db
    .insertInto('tenant_groups')
    .values({ tenant_id: lab, group_id: group.id, role: 'manager' })
    .execute()
  await comes(async () => (await directory.remembered.user('alice'))?.tenantRoles[lab], ['manager', 'viewer'])
  expect((await directory.remembered.user('alice'))?.groupRoles).toEqual(['sys_admin'])
  await db.updateTable('users').set({ active: false }).where('id', '=', id).execute()
  await comes(async () => (await directory.remembered.user('alice'))?.active, false)
  await db.deleteFrom('users').where('id', '=', id).execute()
  await comes(async () => directory.remembered.user('alice'), undefined)
})

test('tenants, those with global resources, and the matrix', async () => {
  const { db } = manager
  const shop = await addTenant(db, 'shop')
  await comes(async () => (await directory.remembered.tenants()).byName.get('shop'), {
    id: shop,
    name: 'shop',
  })
  expect((await directory.remembered.tenants()).globalTenantIds).toEqual([])
  await addBlueprint(db, 'shared', { tenantId: shop, visibility: 'global' })
  await comes(async () => (await directory.remembered.tenants()).globalTenantIds, [shop])
  await db.deleteFrom('blueprints').execute()
  await comes(async () => (await directory.remembered.tenants()).globalTenantIds, [])
  expect((await directory.remembered.permissions()).site_create).not.toContain('viewer')
  await db
    .insertInto('role_permissions')
    .values({ role: 'viewer', permission: 'site_create', is_granted: true })
    .execute()
  await comes(async () => (await directory.remembered.permissions()).site_create?.includes('viewer'), true)
})

test('nothing is remembered while notifications cannot arrive', async () => {
  const deaf = createDirectory(manager.db)
  await addUser(manager.db, 'carol')
  expect(await deaf.remembered.user('carol')).not.toBe(await deaf.remembered.user('carol'))
  deaf.onListening(true)
  expect(await deaf.remembered.user('carol')).toBe(await deaf.remembered.user('carol'))
  deaf.onListening(false)
  expect(await deaf.remembered.user('carol')).not.toBe(await deaf.remembered.user('carol'))
})

test('a login is dated once a minute', () => {
  expect([1, 2, 3].map(() => directory.isToBeDated('login/1'))).toEqual([true, false, false])
  expect(directory.isToBeDated('login/2')).toBe(true)
})
