import { spawnSync } from 'node:child_process'
import { chmod, mkdir, mkdtemp, readFile, rm, symlink, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { gunzipSync } from 'node:zlib'
import { type Database, openDatabase } from '@tutti/storage'
import { createTestDatabase } from '@tutti/storage/testing'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { layOutBlueprint, removeReadOnly } from './blueprint-folder.ts'
import { type Deployment, fetchFolder, type Store, storeFolder } from './deployment-folder.ts'
import { folderOf } from './names.ts'
import { openResourcesFolder } from './open-folder.ts'

test.each(['..', '.', '', 'a/b', 'a\0b', 'ä', 'x'.repeat(256), ' ', '-\n'])(
  '%j is the name of no folder',
  (id) => {
    expect(folderOf('/root', { kind: 'deployments', tenant: 'default_tenant', id })).toBeUndefined()
    expect(folderOf('/root', { kind: 'blueprints', tenant: id, id: 'app' })).toBeUndefined()
  },
)

test.each(['...', '.tutti', '-rf', '~', 'x'.repeat(255)])('%j is the name of one', (id) => {
  expect(folderOf('/root', { kind: 'deployments', tenant: 't', id })).toBe(`/root/deployments/t/${id}`)
})

// Nobody else may start processes as other users: for them, these tests are not there.
const asRoot = process.getuid?.() === 0 ? describe : () => undefined

asRoot('as root', () => {
  const [ours, theirs] = [200_131, 200_132]
  let folder: string
  let db: Database
  let close: () => Promise<void>
  let store: Store

  beforeAll(async () => {
    folder = await mkdtemp(join(tmpdir(), 'tutti-tenants-'))
    await chmod(folder, 0o711)
    const test = await createTestDatabase()
    const opened = openDatabase({ ...test.connection, max: 2 })
    db = opened.db
    close = async () => {
      await opened.close()
      await test.drop()
    }
    const root = join(folder, 'resources')
    await mkdir(join(folder, 'unpacked'))
    await writeFile(join(folder, 'unpacked', 'secret.txt'), 'ours')
    await openResourcesFolder(root)
    await mkdir(join(folder, 'work'), { mode: 0o700 })
    store = {
      db,
      root,
      workFolder: join(folder, 'work'),
      limits: { maxBytes: 1e6, maxEntries: 100 },
      maxArchiveBytes: 1e6,
    }
    for (const [tenant, user] of [
      ['ours', ours],
      ['theirs', theirs],
    ] as const) {
      const unpacked = async () => join(folder, 'unpacked')
      await layOutBlueprint(root, { tenant, id: 'app', sha256: 'x', unpacked }, user)
      await fetchFolder(store, deploymentOf(tenant, user))
    }
  })
  afterAll(async () => {
    await removeReadOnly(join(folder, 'resources/blueprints/ours/app'))
    await close()
    await rm(folder, { recursive: true, force: true })
  })

  const deploymentOf = (tenant: string, user: number): Deployment => ({
    tenantId: 0,
    id: 'd',
    user,
    surroundings: {
      tenant,
      createdAt: 'now',
      blueprintId: 'app',
      blueprintSha256: 'x',
      folderSha256: null,
      folderVersion: '0',
      restoredSha256: null,
    },
  })
  const run = (uid: number, command: string) =>
    spawnSync('sh', ['-c', command], { uid, gid: uid, cwd: store.root, encoding: 'utf8' })

  test.each<[string, string, boolean]>([
    ['reads the files of its blueprint', 'cat blueprints/ours/app/secret.txt', true],
    ['changes none of them', 'echo x > blueprints/ours/app/secret.txt', false],
    ['adds none', 'touch blueprints/ours/app/new', false],
    ['removes none', 'rm -f blueprints/ours/app/secret.txt', false],
    ['makes none of them its own', 'chmod 777 blueprints/ours/app', false],
    ['moves no blueprint away', 'mv blueprints/ours/app blueprints/ours/other', false],
    [
      'writes into the folder of its deployment',
      'echo x > deployments/ours/d/file && cat deployments/ours/d/file',
      true,
    ],
    [
      'puts no link in place of that folder',
      'rmdir deployments/ours/d || mv deployments/ours/d deployments/ours/e',
      false,
    ],
    ["reads nothing of another tenant's blueprints", 'cat blueprints/theirs/app/secret.txt', false],
    ["lists no other tenant's folders", 'ls blueprints/theirs || ls deployments/theirs', false],
    ['lists no tenants', 'ls blueprints || ls deployments', false],
    ["writes nothing into another tenant's deployment", 'touch deployments/theirs/d/x', false],
    ['sees nothing of what workers know', 'ls .tutti', false],
    ['makes no tenant', 'mkdir deployments/new || mkdir blueprints/new || touch new', false],
  ])("a tenant's user %s", (_what, command, isAllowed) => {
    expect(run(ours, command).status === 0).toBe(isAllowed)
  })

  test('what is stored is what that user could read, and comes back as that user’s', async () => {
    await writeFile(join(folder, 'key'), 'of the manager', { mode: 0o600 })
    expect(
      run(
        ours,
        `ln -s ${folder}/key deployments/ours/d/link; ln ${folder}/key deployments/ours/d/hard; mkdir -m 700 deployments/ours/d/closed; echo in > deployments/ours/d/closed/x`,
      ).status,
    ).toBe(0)
    // Put there by the worker's own hand, it is still not read for somebody who may not.
    await symlink(join(folder, 'key'), join(store.root, 'deployments/ours/d/planted'))
    expect(await storeFolder(store, deploymentOf('ours', ours))).toBeUndefined()
    const chunks = await db.selectFrom('archive_chunks').select('data').execute()
    const stored = gunzipSync(Buffer.concat(chunks.map(({ data }) => data))).toString('latin1')
    expect([stored.includes('./closed/x'), stored.includes('of the manager')]).toEqual([true, false])
    await rm(join(store.root, 'deployments/ours/d'), { recursive: true })
    await fetchFolder(store, deploymentOf('ours', ours))
    expect(run(ours, 'touch deployments/ours/d/again').status).toBe(0)
    expect(await readFile(join(folder, 'key'), 'utf8')).toBe('of the manager')
  })
})
