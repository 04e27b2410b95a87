import { mkdir, mkdtemp, readdir, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { type Database, openDatabase } from '@tutti/storage'
import { createTestDatabase } from '@tutti/storage/testing'
import { sql } from 'kysely'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { layOutBlueprint, removeReadOnly } from './blueprint-folder.ts'
import { openResources } from './index.ts'

let folder: string
let db: Database
let close: () => Promise<void>

beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'tutti-several-workers-'))
  const test = await createTestDatabase()
  const opened = openDatabase({ ...test.connection, max: 4 })
  db = opened.db
  close = async () => {
    await opened.close()
    await test.drop()
  }
  await mkdir(join(folder, 'work'))
  await db.insertInto('tenants').values({ id: 0, name: 'default_tenant' }).execute()
  await sql`insert into blueprints (tenant_id, id, created_by, state) values (0, 'app', 'admin', 'uploaded')`.execute(
    db,
  )
  await sql`insert into deployments (tenant_id, id, display_name, blueprint_id, blueprint_tenant_id, created_by)
    values (0, 'd', 'd', 'app', 0, 'admin')`.execute(db)
  await sql`insert into executions (tenant_id, id, deployment_id, workflow_id, status, created_by, lease_fence)
    values (0, 'e', 'd', 'install', 'started', 'admin', 1)`.execute(db)
})
afterAll(async () => {
  await close()
  await rm(folder, { recursive: true, force: true })
})

const heldBy = { executionId: 'e', fence: 1 }

/** One worker's view of the folder; two may share one machine. */
const openWorker = (resourcesFolder: string) =>
  openResources({
    db,
    config: { get: () => 1 as never },
    log: { warn: (told: unknown) => expect.fail(String((told as { err?: unknown }).err)) },
    settings: {
      dataFolder: folder,
      environment: { resourcesFolder } as never,
      maxArchiveBytes: 1e8,
      maxUnpackedBytes: 1e8,
      maxUnpackedEntries: 1_000,
      operationUsers: undefined,
      resourcesSweepMs: 3_600_000,
      workFolder: join(folder, 'work'),
    },
  })

test.each<[string, [string, string], boolean]>([
  ['one worker', ['one', 'one'], false],
  ['two workers of one machine', ['one', 'one'], true],
  ['two machines', ['one', 'two'], true],
])(
  'what an operation wrote is there for one that begins while it is stored: %s',
  async (what, roots, isApart) => {
    const rootOf = (index: 0 | 1) => join(folder, what, roots[index])
    const first = await openWorker(rootOf(0))
    const second = isApart ? await openWorker(rootOf(1)) : first
    const filesOf = (index: 0 | 1) => join(rootOf(index), 'deployments/default_tenant/d')
    const expected: string[] = []
    for (let round = 0; round < 5; round += 1) {
      const writer = await first.enter(0, 'd')
      const name = `${what} ${round}`
      await writeFile(join(filesOf(0), name), 'x'.repeat(100_000))
      expected.push(name)
      const [told, reader] = await Promise.all([writer.leave(heldBy), second.enter(0, 'd')])
      expect(told).toBeUndefined()
      await writeFile(join(filesOf(1), `${name}b`), 'y')
      expected.push(`${name}b`)
      expect(await reader.leave(heldBy)).toBeUndefined()
      const after = await first.enter(0, 'd')
      const found = (await readdir(filesOf(0))).filter((file) => file.startsWith(what))
      // On two machines whoever ends last wins: what the other had not stored when this one began is not in it.
      if (roots[0] === roots[1]) expect(found.sort()).toEqual(expected.toSorted())
      else expect(found).toContain(`${name}b`)
      await after.leave(heldBy)
    }
    for (const worker of new Set([first, second])) await worker.stop()
  },
)

test('workers of one machine lay a blueprint out once, and never take it from the other’s scripts', async () => {
  const root = join(folder, 'blueprints')
  const source = join(folder, 'unpacked')
  await mkdir(source)
  for (let index = 0; index < 200; index += 1) await writeFile(join(source, `file-${index}`), 'x')
  await (await openWorker(root)).stop()
  const unpacked = async () => source
  const blueprint = { tenant: 'default_tenant', id: 'app', sha256: 'a', unpacked }
  const laidOut = join(root, 'blueprints/default_tenant/app')
  const lacking: number[] = []
  // Each as if it were a process of its own: nothing but the files tells it of the others.
  await Promise.all(
    Array.from({ length: 8 }, async () => {
      await layOutBlueprint(root, blueprint, null)
      for (let look = 0; look < 20; look += 1) {
        const { length } = await readdir(laidOut).catch(() => [])
        if (length !== 200) lacking.push(length)
      }
    }),
  )
  expect(lacking).toEqual([])
  expect(await readdir(join(root, '.tutti/staging'))).toEqual([])
  await removeReadOnly(laidOut)
})
