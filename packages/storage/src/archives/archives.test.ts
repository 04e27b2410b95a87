import { createHash, randomBytes, randomUUID } from 'node:crypto'
import { mkdir, mkdtemp, readdir, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { buffer } from 'node:stream/consumers'
import { Kysely, PostgresDialect, sql } from 'kysely'
import { Pool } from 'pg'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { openDatabase } from '../database.ts'
import { createTestDatabase, type TestDatabase } from '../testing/index.ts'
import { deleteUnreferencedArchives, readArchive, writeArchive } from './index.ts'
import { unpackedSweep } from './sweep-unpacked.ts'

let database: TestDatabase
let db: Kysely<unknown>

beforeAll(async () => {
  database = await createTestDatabase()
  db = new Kysely({ dialect: new PostgresDialect({ pool: new Pool(database.connection) }) })
  await sql`create table holders (archive_sha256 text references archives)`.execute(db)
})

afterAll(async () => {
  await db.destroy()
  await database.drop()
})

const cleanUp = (olderThanMs = 0) => deleteUnreferencedArchives(db, { olderThanMs, limit: 100 })
const limit = { maxBytes: 10_000_000 }
const sha256 = (bytes: Uint8Array) => createHash('sha256').update(bytes).digest('hex')

async function* inPieces(bytes: Uint8Array, pieceBytes = 100_000) {
  for (let at = 0; at < bytes.length; at += pieceBytes) yield bytes.subarray(at, at + pieceBytes)
}

async function read(hash: string): Promise<Buffer | undefined> {
  const archive = await readArchive(db, hash)
  if (archive === undefined) return undefined
  const content = await buffer(archive.chunks)
  expect(content.length).toBe(archive.size)
  return content
}

test.each([0, 1, 256 * 1024, 256 * 1024 + 1, 3_000_000])('%d bytes come back as they were', async (size) => {
  const bytes = randomBytes(size)
  const stored = await db
    .transaction()
    .execute((transaction) => writeArchive(transaction, inPieces(bytes), limit))
  expect(stored).toEqual({ sha256: sha256(bytes), size })
  expect((await read(stored.sha256))?.equals(bytes)).toBe(true)
})

test('an archive of a transaction that is rolled back was never there', async () => {
  const bytes = randomBytes(1000)
  const attempt = db.transaction().execute(async (transaction) => {
    await writeArchive(transaction, inPieces(bytes), limit)
    throw new Error('something else went wrong')
  })
  await expect(attempt).rejects.toThrow('something else')
  expect(await read(sha256(bytes))).toBeUndefined()
})

test('many writers of the same content all succeed, and it is stored once', async () => {
  const bytes = randomBytes(700_000)
  const write = () =>
    db.transaction().execute((transaction) => writeArchive(transaction, inPieces(bytes), limit))
  const stored = await Promise.all([write(), write(), write(), write()])
  expect(new Set(stored.map((archive) => archive.sha256)).size).toBe(1)
  const { rows } = await sql`select from archive_chunks where sha256 = ${sha256(bytes)}`.execute(db)
  expect(rows).toHaveLength(3)
  expect((await read(sha256(bytes)))?.equals(bytes)).toBe(true)
})

test('a stream larger than allowed is refused, however long it would go on', async () => {
  async function* endless() {
    for (;;) yield Buffer.alloc(100_000)
  }
  await expect(writeArchive(db, endless(), { maxBytes: 1_000_000 })).rejects.toThrow('1000000 bytes')
})

test('clean-up deletes what nothing refers to, and nothing else', async () => {
  const [kept, dropped] = [randomBytes(2000), randomBytes(3000)]
  await db.transaction().execute(async (transaction) => {
    const { sha256 } = await writeArchive(transaction, inPieces(kept), limit)
    await sql`insert into holders values (${sha256})`.execute(transaction)
    await writeArchive(transaction, inPieces(dropped), limit)
  })
  const { freedBytes } = await cleanUp()
  expect(freedBytes).toBeGreaterThanOrEqual(3000)
  expect(await read(sha256(dropped))).toBeUndefined()
  expect((await read(sha256(kept)))?.equals(kept)).toBe(true)
  expect(await cleanUp()).toEqual({ deleted: 0, freedBytes: 0 })
})

test('clean-up leaves what was stored not long ago to whoever refers to it next', async () => {
  const bytes = randomBytes(2000)
  const store = () =>
    db.transaction().execute((transaction) => writeArchive(transaction, inPieces(bytes), limit))
  const { sha256: hash } = await store()
  await sql`update archives set created_at = clock_timestamp() - interval '1 hour' where sha256 = ${hash}`.execute(
    db,
  )
  // Stored again, it is new again.
  await store()
  expect(await cleanUp(60_000)).toEqual({ deleted: 0, freedBytes: 0 })
  expect((await read(hash))?.equals(bytes)).toBe(true)
  expect((await cleanUp()).deleted).toBe(1)
})

test('clean-up leaves alone what is being stored again right now', async () => {
  const bytes = randomBytes(2000)
  const store = db.transaction()
  await store.execute((transaction) => writeArchive(transaction, inPieces(bytes), limit))
  await store.execute(async (transaction) => {
    const { sha256 } = await writeArchive(transaction, inPieces(bytes), limit)
    expect(await cleanUp()).toEqual({ deleted: 0, freedBytes: 0 })
    await sql`insert into holders values (${sha256})`.execute(transaction)
  })
  expect((await read(sha256(bytes)))?.equals(bytes)).toBe(true)
})

test('a reader is told when the archive is deleted under it', async () => {
  const bytes = randomBytes(2_000_000)
  const stored = await db
    .transaction()
    .execute((transaction) => writeArchive(transaction, inPieces(bytes), limit))
  const archive = await readArchive(db, stored.sha256)
  const chunks = archive?.chunks[Symbol.asyncIterator]()
  await chunks?.next()
  await cleanUp()
  const rest = async () => {
    while ((await chunks?.next())?.done === false);
  }
  await expect(rest()).rejects.toThrow('deleted while it was read')
})

test('unpacked copies go after their archive, and what was half unpacked too', async () => {
  const folder = await mkdtemp(join(tmpdir(), 'tutti-unpacked-'))
  const holder = openDatabase({ ...database.connection, max: 1 })
  try {
    const store = (bytes: Buffer) =>
      db.transaction().execute((transaction) => writeArchive(transaction, inPieces(bytes), limit))
    const [held, dropped] = [await store(randomBytes(1000)), await store(randomBytes(1000))]
    await sql`insert into holders values (${held.sha256})`.execute(db)
    const half = `${dropped.sha256}.${randomUUID()}.new`
    for (const name of [held.sha256, dropped.sha256, half])
      await mkdir(join(folder, name, 'top'), { recursive: true })
    let minutes = 0
    const sweep = unpackedSweep(holder.db, folder, () => minutes * 60_000)
    await sweep()
    expect((await readdir(folder)).sort()).toEqual([held.sha256, dropped.sha256, half].sort())
    await cleanUp()
    minutes = 30
    await sweep()
    // Its archive was there until now: whoever uses it has the whole time.
    expect((await readdir(folder)).sort()).toEqual([held.sha256, dropped.sha256].sort())
    minutes = 60
    await sweep()
    expect(await readdir(folder)).toEqual([held.sha256])
  } finally {
    await sql`delete from holders`.execute(db)
    await holder.close()
    await rm(folder, { recursive: true })
  }
})
