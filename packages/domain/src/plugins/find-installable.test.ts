import { openDatabase, type Scope } from '@tutti/storage'
import { createTestDatabase } from '@tutti/storage/testing'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { findInstallable } from './index.ts'

let database: Awaited<ReturnType<typeof createTestDatabase>>
let opened: ReturnType<typeof openDatabase>
const other = 7

beforeAll(async () => {
  database = await createTestDatabase()
  opened = openDatabase(database.connection)
  const { db } = opened
  await db
    .insertInto('tenants')
    .values([
      { id: 0, name: 'default_tenant' },
      { id: other, name: 'other' },
    ])
    .execute()
  await db.insertInto('archives').values({ sha256: 'wagon', size: 0 }).execute()
  const plugin = {
    tenant_id: 0,
    title: 'p',
    package_name: 'p',
    archive_name: 'p.wgn',
    archive_sha256: 'wagon',
    created_by: 'admin',
  } as const
  await db
    .insertInto('plugins')
    .values([
      { ...plugin, id: 'old', package_version: '1.9' },
      { ...plugin, id: 'new', package_version: '1.10' },
      { ...plugin, id: 'centos', package_version: '1.0', distribution: 'centos' },
      { ...plugin, id: 'private', package_version: '2.0', visibility: 'private', created_by: 'uma' },
      { ...plugin, id: 'elsewhere', package_version: '3.0', tenant_id: other },
      { ...plugin, id: 'global', package_version: '1.10', tenant_id: other, visibility: 'global' },
      { ...plugin, id: 'another', package_name: 'q', package_version: '9.0' },
    ])
    .execute()
})
afterAll(async () => {
  await opened.close()
  await database.drop()
})

const seenBy = (username: string): Scope => ({
  username,
  tenantIds: [0],
  administeredTenantIds: [],
  globalTenantIds: [other],
})
const idsOf = async (wanted: object, username = 'vera') =>
  (await findInstallable(opened.db, seenBy(username), { package_name: 'p', ...wanted })).map(({ id }) => id)

test('the highest version first, and of equal ones that of the tenant', async () => {
  expect(await idsOf({})).toEqual(['new', 'global', 'old', 'centos'])
})

test('what a plan says of a plugin has to hold', async () => {
  expect(await idsOf({ package_version: '1.9', distribution: null })).toEqual(['old'])
  expect(await idsOf({ distribution: 'centos' })).toEqual(['centos'])
  expect(await idsOf({ package_version: '1.9.0' })).toEqual([])
  expect(await idsOf({ package_name: 'none' })).toEqual([])
})

test('what is private is found by its owner alone, and what is of another tenant by nobody', async () => {
  expect(await idsOf({ package_version: '2.0' })).toEqual([])
  expect(await idsOf({ package_version: '2.0' }, 'uma')).toEqual(['private'])
  expect(await idsOf({ package_version: '3.0' }, 'uma')).toEqual([])
})
