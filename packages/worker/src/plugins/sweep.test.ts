import { chmodSync, chownSync, existsSync, mkdirSync, mkdtempSync, readdirSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { openDatabase } from '@tutti/storage'
import { createTestDatabase } from '@tutti/storage/testing'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { openEnvironmentsFolder } from './folders.ts'
import { type Origin, readNote, writeNote } from './notes.ts'
import { createEnvironmentSweep } from './sweep.ts'

let root: string
let own: Awaited<ReturnType<typeof createTestDatabase>>
let database: ReturnType<typeof openDatabase>
beforeAll(async () => {
  own = await createTestDatabase()
  database = openDatabase(own.connection)
  root = mkdtempSync(join(tmpdir(), 'tutti-environments-'))
  await openEnvironmentsFolder(root)
})
afterAll(async () => {
  await database.close()
  await own.drop()
  rmSync(root, { recursive: true })
})

async function environment(name: string, origin: Origin): Promise<void> {
  mkdirSync(join(root, `${name}.made`))
  await writeNote(root, { name, folder: `${name}.made`, origin, installed: [] })
}

test('environments go an hour after what they are of, and what killed workers left with them', async () => {
  const { db } = database
  await db.insertInto('tenants').values({ id: 0, name: 'default_tenant' }).execute()
  await db.insertInto('archives').values({ sha256: 'wagon', size: 0 }).execute()
  const plugin = {
    tenant_id: 0,
    title: 'p',
    package_name: 'p',
    package_version: '1.0',
    archive_name: 'p.wgn',
    archive_sha256: 'wagon',
    created_by: 'admin',
  }
  await db
    .insertInto('plugins')
    .values([
      { ...plugin, id: 'kept' },
      { ...plugin, id: 'deleted' },
    ])
    .execute()
  const of = (pluginId: string, sha256 = 'wagon') =>
    ({ kind: 'wagon', tenantId: 0, pluginId, sha256 }) as const
  await environment('kept', of('kept'))
  await environment('deleted', of('deleted'))
  await environment('replaced', of('kept', 'another wagon'))
  await environment('source', { kind: 'source', tenantId: 0, deploymentId: 'gone', sha256: 'blueprint' })
  mkdirSync(join(root, 'half.begun'))

  let now = 0
  const sweep = createEnvironmentSweep(db, root, { now: () => now })
  await db.deleteFrom('plugins').where('id', '=', 'deleted').execute()
  const hours = async (count: number) => {
    now = count * 3_600_000
    await sweep()
    return readdirSync(root)
      .filter((name) => name !== '.tutti')
      .toSorted()
  }
  expect(await hours(0)).toHaveLength(5)
  expect(await hours(0.9)).toHaveLength(5)
  // What nobody has noted goes, and the notes: nobody begins to use these environments any more.
  expect(await hours(1)).toEqual(['deleted.made', 'kept.made', 'replaced.made', 'source.made'])
  expect(await readNote(root, 'deleted')).toBeUndefined()
  expect(await hours(2)).toEqual(['kept.made'])
  expect(existsSync(join(root, 'kept.made'))).toBe(true)
  expect(await readNote(root, 'kept')).toMatchObject({ folder: 'kept.made' })
})

test.runIf(process.getuid?.() === 0)("what is a tenant's is removed as that tenant", async () => {
  const [tenant, folder] = [200_321, join(root, 'tenants.begun')]
  // Of root, in a folder that its user may not write to: by no removal of that user's.
  const others = join(folder, 'inner')
  mkdirSync(join(others, 'innermost'), { recursive: true })
  chmodSync(others, 0o755)
  chownSync(folder, tenant, tenant)
  let now = 0
  const sweep = createEnvironmentSweep(database.db, root, { now: () => now })
  await sweep()
  now = 3_600_000
  await expect(sweep()).rejects.toThrow('could not be removed')
  const [left] = readdirSync(root).filter((name) => name.startsWith('gone-'))
  expect(existsSync(join(root, left ?? '', 'inner', 'innermost'))).toBe(true)
  chownSync(join(root, left ?? '', 'inner'), tenant, tenant)
  now = 7_200_000
  await sweep()
  now = 10_800_000
  await sweep()
  expect(existsSync(join(root, left ?? ''))).toBe(false)
})
