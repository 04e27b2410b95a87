import { openDatabase } from '@tutti/storage'
import { createTestDatabase } from '@tutti/storage/testing'
import { expect, test } from 'vitest'
import { addInstance } from '../../test/node-instance.ts'
import {
  clearNodes,
  deleteUploaded,
  failBlueprint,
  findImportable,
  readUploaded,
  setBlueprintArchive,
  setBlueprintState,
} from './queries.ts'

async function database() {
  const own = await createTestDatabase()
  const { db, close } = openDatabase({ ...own.connection, max: 2 })
  await db
    .insertInto('tenants')
    .values([
      { id: 0, name: 'default_tenant' },
      { id: 1, name: 'other' },
    ])
    .execute()
  return { db, close: () => close().then(own.drop) }
}

test('an upload changes the blueprint that it has made, and none that took its place', async () => {
  const { db, close } = await database()
  try {
    await db
      .insertInto('blueprints')
      .values({
        tenant_id: 0,
        id: 'app',
        visibility: 'tenant',
        created_by: 'admin',
        state: 'pending',
        upload_execution_id: 'second',
      })
      .execute()
    const first = { tenantId: 0, id: 'app', executionId: 'first' }
    const second = { ...first, executionId: 'second' }
    const before = await readUploaded(db, second)
    expect(before).toEqual({ state: 'pending', archive_sha256: null })

    for (const stale of [first, { ...second, tenantId: 1 }]) {
      expect(await readUploaded(db, stale)).toBeUndefined()
      expect(await setBlueprintState(db, stale, 'parsing')).toBe(false)
      expect(await setBlueprintArchive(db, stale, { sha256: 'x', extension: 'zip' })).toBe(false)
      expect(await failBlueprint(db, stale, { state: 'invalid', error: 'no' })).toBe(false)
      await deleteUploaded(db, stale)
    }
    expect(await readUploaded(db, second)).toEqual(before)

    expect(await setBlueprintState(db, second, 'parsing')).toBe(true)
    expect(await readUploaded(db, second)).toMatchObject({ state: 'parsing' })
    await deleteUploaded(db, second)
    expect(await readUploaded(db, second)).toBeUndefined()
  } finally {
    await close()
  }
})

test('a blueprint imports what its uploader sees, its own tenant first', async () => {
  const { db, close } = await database()
  try {
    const blueprint = (tenant_id: number, id: string, visibility: 'private' | 'tenant' | 'global') => ({
      tenant_id,
      id,
      visibility,
      created_by: 'owner',
      state: 'uploaded',
      main_file_name: `${id}.yaml`,
      archive_sha256: `of ${tenant_id}`,
      archive_extension: 'zip',
    })
    await db
      .insertInto('archives')
      .values(['of 0', 'of 1'].map((sha256) => ({ sha256, size: 1 })))
      .execute()
    await db
      .insertInto('blueprints')
      .values([
        blueprint(0, 'shared', 'tenant'),
        blueprint(1, 'shared', 'global'),
        blueprint(1, 'global', 'global'),
        blueprint(1, 'theirs', 'tenant'),
        blueprint(0, 'private', 'private'),
        { ...blueprint(0, 'parsing', 'tenant'), state: 'parsing' },
      ])
      .execute()
    const find = async (id: string, username = 'admin') => (await findImportable(db, 0, username, id))?.sha256
    expect(await find('shared')).toBe('of 0')
    expect(await find('global')).toBe('of 1')
    expect(await find('theirs')).toBeUndefined()
    expect(await find('private')).toBeUndefined()
    expect(await find('private', 'owner')).toBe('of 0')
    expect(await find('parsing')).toBeUndefined()
  } finally {
    await close()
  }
})

test('a creation that begins again clears the nodes of its own deployment only', async () => {
  const { db, close } = await database()
  try {
    for (const id of ['own', 'other']) await addInstance(db, id)
    const owner = { tenantId: 0, deploymentId: 'own', visibility: 'tenant', createdBy: 'admin' } as const
    await db.transaction().execute((transaction) => clearNodes(transaction, owner))
    for (const table of ['nodes', 'node_instances'] as const) {
      expect(await db.selectFrom(table).select('deployment_id').execute()).toEqual([
        { deployment_id: 'other' },
      ])
    }
  } finally {
    await close()
  }
})
