import { spawnSync } from 'node:child_process'
import { chmod, chown, mkdir, mkdtemp, readFile, rm, symlink, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { gunzipSync } from 'node:zlib'
import { type Database, openDatabase } from '@tutti/storage'
import { createTestDatabase } from '@tutti/storage/testing'
import { sql } from 'kysely'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { layOutBlueprint, removeReadOnly } from './blueprint-folder.ts'
import { type Deployment, fetchFolder, removeTree, type Store, storeFolder } from './deployment-folder.ts'
import { folderOf, noteFile } from './names.ts'
import { openResourcesFolder } from './open-folder.ts'
import { readSurroundings } from './queries.ts'

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
      await fetch(tenant, user)
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
  const fetch = (tenant: string, user: number) =>
    fetchFolder(store, { kind: 'deployments', tenant, id: 'd' }, async () => deploymentOf(tenant, user))
  const heldBy = { executionId: 'e', fence: 3 }
  const keptOwner = { kind: 'deployments', tenant: 'ours', id: 'kept' } as const
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
    expect(await storeFolder(store, deploymentOf('ours', ours), heldBy)).toBeUndefined()
    const chunks = await db.selectFrom('archive_chunks').select('data').execute()
    const stored = gunzipSync(Buffer.concat(chunks.map(({ data }) => data))).toString('latin1')
    expect([stored.includes('./closed/x'), stored.includes('of the manager')]).toEqual([true, false])
    await rm(join(store.root, 'deployments/ours/d'), { recursive: true })
    await fetch('ours', ours)
    expect(run(ours, 'touch deployments/ours/d/again').status).toBe(0)
    expect(await readFile(join(folder, 'key'), 'utf8')).toBe('of the manager')
  })

  test('what its owner has closed is stored all the same, and so is a name that is no text', async () => {
    await using kept = await storedDeployment()
    const at = 'deployments/ours/kept'
    expect(
      run(
        ours,
        `cd ${at} && echo in > closed.txt && mkdir -p closed/deeper && echo deep > closed/deeper/x && chmod 0 closed.txt closed/deeper closed`,
      ).status,
    ).toBe(0)
    expect(await storeFolder(store, await kept.present(), heldBy)).toBeUndefined()
    await rm(join(store.root, at), { recursive: true })
    await fetchFolder(store, keptOwner, kept.present)
    expect(run(ours, `cat ${at}/closed.txt ${at}/closed/deeper/x`).stdout).toBe('in\ndeep\n')

    // Only this one changes: it is seen.
    const name = Buffer.from(`${join(store.root, at)}/\xff\n`, 'latin1')
    await writeFile(name, 'of bytes')
    await chown(name, ours, ours)
    expect(await storeFolder(store, await kept.present(), heldBy)).toBeUndefined()
    await rm(join(store.root, at), { recursive: true })
    await fetchFolder(store, keptOwner, kept.present)
    expect(await readFile(name, 'utf8')).toBe('of bytes')

    // A worker that has lost its execution meanwhile stores nothing over what another one has stored.
    const { surroundings } = await kept.present()
    await writeFile(name, 'of one that was halted')
    expect(await storeFolder(store, await kept.present(), { ...heldBy, fence: 2 })).toBeUndefined()
    expect((await kept.present()).surroundings).toEqual(surroundings)

    // What is somebody else's alone stays out, and is told; the rest is stored.
    await writeFile(join(store.root, at, 'root-only'), 'of root', { mode: 0o600 })
    expect(run(ours, `echo new > ${at}/new`).status).toBe(0)
    expect(await storeFolder(store, await kept.present(), heldBy)).toMatch(/on this worker only.*root-only/)
    await rm(join(store.root, at), { recursive: true })
    await fetchFolder(store, keptOwner, kept.present)
    expect(run(ours, `cat ${at}/new ${at}/root-only`).stdout).toBe('new\n')
  })

  test('folders that are nested deeper than a path can say are told, not thrown', async () => {
    await using kept = await storedDeployment()
    const deep = 'for i in $(seq 30); do mkdir $(printf "%0200d" 0) && cd $(printf "%0200d" 0); done'
    run(ours, `cd deployments/ours/kept && ${deep}`) // until the shell itself cannot say where it is
    expect(await storeFolder(store, await kept.present(), heldBy)).toMatch(/nested too deep/)
    await removeTree(join(store.root, 'deployments/ours/kept'))
  })

  /** A deployment with a row of its own, whose folder is fetched. */
  async function storedDeployment() {
    await db
      .insertInto('tenants')
      .values({ id: 7, name: 'ours' })
      .onConflict((oc) => oc.doNothing())
      .execute()
    await sql`insert into blueprints (tenant_id, id, created_by, state) values (7, 'app', 'admin', 'uploaded') on conflict do nothing`.execute(
      db,
    )
    await sql`insert into deployments (tenant_id, id, display_name, blueprint_id, blueprint_tenant_id, created_by)
      values (7, 'kept', 'kept', 'app', 7, 'admin')`.execute(db)
    await sql`insert into executions (tenant_id, id, deployment_id, workflow_id, status, created_by, lease_fence)
      values (7, 'e', 'kept', 'install', 'started', 'admin', 3) on conflict do nothing`.execute(db)
    const present = async (): Promise<Deployment> => {
      const surroundings = await readSurroundings(db, 7, 'kept')
      if (surroundings === undefined) throw new Error('no deployment')
      return { tenantId: 7, id: 'kept', user: ours, surroundings }
    }
    await fetchFolder(store, keptOwner, present)
    return {
      present,
      async [Symbol.asyncDispose]() {
        await sql`delete from deployments where tenant_id = 7 and id = 'kept'`.execute(db)
        await rm(noteFile(store.root, keptOwner), { force: true })
      },
    }
  }
})
