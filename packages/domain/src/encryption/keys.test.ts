import { chmod, mkdtemp, readFile, rm, stat } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { type Database, openDatabase, startHeartbeat } from '@tutti/storage'
import { createTestDatabase } from '@tutti/storage/testing'
import { afterEach, beforeEach, expect, test } from 'vitest'
import { bootstrap } from '../bootstrap/bootstrap.ts'
import { writeKeyFile } from './key-file.ts'
import { formatKey, newKey, openKeyRing, parseKey } from './key-ring.ts'
import { loadKeys, rotateKeys } from './keys.ts'

let db: Database
let folder: string
let close: () => Promise<void>

beforeEach(async () => {
  const { connection, drop } = await createTestDatabase()
  const database = openDatabase({ ...connection, max: 4 })
  db = database.db
  folder = await mkdtemp(join(tmpdir(), 'tutti-keys-'))
  await bootstrap(db, { dataFolder: folder, adminPassword: 'password' })
  close = async () => {
    await database.close()
    await drop()
    await rm(folder, { recursive: true, force: true })
  }
})
afterEach(() => close())

const settings = () => ({ dataFolder: folder, encryptionKeys: undefined })
const keyFile = () => readFile(join(folder, 'encryption-key'), 'utf8')
const keysInFile = async () => (await keyFile()).trim().split('\n')

async function addSecrets(values: readonly string[], seal: (text: string) => string) {
  await db
    .insertInto('secrets')
    .values(values.map((value) => ({ tenant_id: 0, key: value, value: seal(value), created_by: 'admin' })))
    .execute()
}

async function readSecrets(open: (sealed: string) => string) {
  const rows = await db.selectFrom('secrets').select(['key', 'value']).orderBy('key').execute()
  for (const { key, value } of rows) expect(open(value)).toBe(key)
  return rows.length
}

test('the first start makes a key that only its owner may read; the next ones use it', async () => {
  const ring = await loadKeys(db, settings())
  expect((await stat(join(folder, 'encryption-key'))).mode & 0o777).toBe(0o600)
  const sealed = ring.seal('text')
  expect(sealed).not.toContain('text')
  expect((await loadKeys(db, settings())).open(sealed)).toBe('text')
  await chmod(join(folder, 'encryption-key'), 0o644)
  await expect(loadKeys(db, settings())).rejects.toThrow(/others may read it/)
})

test('the data folder need not be there yet', async () => {
  const dataFolder = join(folder, 'not', 'yet')
  const { fingerprints } = await loadKeys(db, { dataFolder, encryptionKeys: undefined })
  expect((await loadKeys(db, { dataFolder, encryptionKeys: undefined })).fingerprints).toEqual(fingerprints)
})

test('beside a running manager none starts with another key, even while nothing is encrypted', async () => {
  await loadKeys(db, settings())
  const identity = {
    id: 'first',
    hostname: 'first',
    address: '10.0.0.1',
    roles: ['api'],
    version: '1',
  } as const
  const running = await startHeartbeat(db, identity, {
    onError(error) {
      throw error
    },
  })
  const elsewhere = { dataFolder: join(folder, 'elsewhere'), encryptionKeys: undefined }
  await expect(loadKeys(db, elsewhere)).rejects.toThrow(/which this one does not have/)
  expect((await loadKeys(db, settings())).fingerprints).toHaveLength(1)
  await running.stop()
  await loadKeys(db, elsewhere)
})

test('managers that start at once on one folder agree on one key', async () => {
  const rings = await Promise.all([1, 2, 3].map(() => loadKeys(db, settings())))
  expect(new Set(rings.map((ring) => ring.fingerprints[0])).size).toBe(1)
})

test('a manager without the key of the secrets does not start; with nothing encrypted it may have another', async () => {
  const first = await loadKeys(db, settings())
  const other = { dataFolder: folder, encryptionKeys: [formatKey(newKey())] }
  await loadKeys(db, other)
  await rm(join(folder, 'encryption-key'))
  const second = await loadKeys(db, settings())
  expect(second.fingerprints).not.toEqual(first.fingerprints)
  await addSecrets(['a'], second.seal)
  await expect(loadKeys(db, other)).rejects.toThrow(/which this one does not have/)
  await rm(join(folder, 'encryption-key'))
  await expect(loadKeys(db, settings())).rejects.toThrow(/which this one does not have/)
  await expect(keyFile()).rejects.toThrow()
})

test('keys of the configuration come before the file, and are checked', async () => {
  const [fresh, old] = [newKey(), newKey()]
  const before = await loadKeys(db, { dataFolder: folder, encryptionKeys: [formatKey(old)] })
  const after = await loadKeys(db, {
    dataFolder: folder,
    encryptionKeys: [formatKey(fresh), formatKey(old)],
  })
  expect(after.open(before.seal('text'))).toBe('text')
  expect(() => before.open(after.seal('text'))).toThrow(/a key that this manager does not have/)
  expect(() => parseKey('c2hvcnQ', 'TUTTI_ENCRYPTION_KEY')).toThrow(/no encryption key/)
  expect(() => parseKey('c2hvcnQ', 'TUTTI_ENCRYPTION_KEY')).not.toThrow(/c2hvcnQ/)
})

test('a rotation encrypts everything again under a new key, and the old one is gone', async () => {
  const ring = await loadKeys(db, settings())
  const values = Array.from({ length: 1_203 }, (_, index) => `v${index}`)
  await addSecrets(values, ring.seal)
  await db
    .insertInto('secrets_providers')
    .values({
      tenant_id: 0,
      name: 'p',
      type: 'vault',
      connection_parameters: ring.seal('c'),
      created_by: 'a',
    })
    .execute()
  await db
    .insertInto('ldap')
    .values({ settings: '{}', sealed_password: ring.seal('l') })
    .execute()
  const [old] = await keysInFile()
  expect(await rotateKeys(db, settings())).toEqual({ resealed: 1_205 })
  const now = await keysInFile()
  expect(now).toHaveLength(1)
  expect(now).not.toContain(old)
  const rotated = await loadKeys(db, settings())
  expect(await readSecrets(rotated.open)).toBe(values.length)
  const ldap = await db.selectFrom('ldap').select('sealed_password').executeTakeFirstOrThrow()
  expect(rotated.open(ldap.sealed_password ?? '')).toBe('l')
  await expect(loadKeys(db, { dataFolder: folder, encryptionKeys: [String(old)] })).rejects.toThrow()
})

test('a rotation that was killed goes on; until then both keys open', async () => {
  const ring = await loadKeys(db, settings())
  await addSecrets(['a', 'b', 'c'], ring.seal)
  const old = parseKey(String((await keysInFile())[0]), 'file')
  // Killed after the new key was written and one value encrypted again.
  const fresh = newKey()
  await writeKeyFile(folder, [fresh, old])
  const both = openKeyRing([fresh, old])
  await db
    .updateTable('secrets')
    .set({ value: both.seal('b') })
    .where('key', '=', 'b')
    .execute()
  expect(await readSecrets((await loadKeys(db, settings())).open)).toBe(3)
  expect(await rotateKeys(db, settings())).toEqual({ resealed: 2 })
  expect(await keysInFile()).toEqual([formatKey(fresh)])
  expect(await readSecrets(openKeyRing([fresh]).open)).toBe(3)
})

test('nothing is rotated while a manager runs that would not know the new key', async () => {
  await loadKeys(db, settings())
  const before = await keyFile()
  await db
    .insertInto('processes')
    .values({ id: '1', hostname: 'one', address: '::1', version: '1', roles: ['api'] })
    .execute()
  await expect(rotateKeys(db, settings())).rejects.toThrow(/Managers run on this database.*one/)
  expect(await keyFile()).toBe(before)
})
