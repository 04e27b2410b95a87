import { type Database, listProcesses, type Transaction } from '@tutti/storage'
import { readKeyFile, writeKeyFile } from './key-file.ts'
import { type KeyRing, newKey, openKeyRing, parseKey } from './key-ring.ts'
import { anythingSealed, lockKeys, readFingerprint, resealSome, writeFingerprint } from './queries.ts'

export type KeySettings = {
  readonly dataFolder: string
  /** Keys from the configuration, in place of the key file; the first one seals. */
  readonly encryptionKeys: readonly string[] | undefined
}

/**
 * The keys of this manager: those of the configuration, else those of the key file, which is made at the first start.
 * Every manager of a database must have the key that its secrets are sealed under: one that has not would seal what
 * the others cannot open, so it does not start (docs/decisions/2026-11-21-encryption.md).
 *
 * @throws Error
 */
export async function loadKeys(db: Database, settings: KeySettings): Promise<KeyRing> {
  return db.transaction().execute(async (transaction) => {
    await lockKeys(transaction)
    const known = await readFingerprint(transaction)
    let keys = await ownKeys(settings)
    if (keys.length === 0) {
      if (known !== undefined && (await isKeyInUse(transaction))) throw keyMissing(settings, known)
      keys = [newKey()]
      // In its file before anything is sealed under it: killed between the two, the next start finds it.
      await writeKeyFile(settings.dataFolder, keys)
    }
    const ring = openKeyRing(keys)
    if (known !== undefined && !ring.fingerprints.includes(known)) {
      if (await isKeyInUse(transaction)) throw keyMissing(settings, known)
    } else if (known !== undefined) return ring
    await writeFingerprint(transaction, ring.fingerprints[0] ?? '')
    return ring
  })
}

/** Something is sealed under it, or another manager may do that at any moment. */
async function isKeyInUse(transaction: Transaction): Promise<boolean> {
  if (await anythingSealed(transaction)) return true
  return (await listProcesses(transaction)).some(({ isAlive, roles }) => isAlive && roles.includes('api'))
}

async function ownKeys({ dataFolder, encryptionKeys }: KeySettings): Promise<readonly Buffer[]> {
  if (encryptionKeys === undefined || encryptionKeys.length === 0) return readKeyFile(dataFolder)
  return encryptionKeys.map((text) => parseKey(text, 'TUTTI_ENCRYPTION_KEY'))
}

const keyMissing = ({ dataFolder }: KeySettings, fingerprint: string) =>
  new Error(
    `The managers of this database encrypt secrets under the key ${fingerprint}, which this one does not have. ` +
      `Give it the key of the other managers in TUTTI_ENCRYPTION_KEY, or their file encryption-key in ${dataFolder}`,
  )

/**
 * Seals everything again under a new key, which replaces the old one in the key file; with keys from the configuration
 * under the first of them. Killed at any moment, it goes on when it is run again: the file holds both keys until
 * nothing is sealed under the old one.
 *
 * @throws Error while a manager runs that knows only the old key
 */
export async function rotateKeys(
  db: Database,
  settings: KeySettings,
): Promise<{ readonly resealed: number }> {
  const isInFile = settings.encryptionKeys === undefined || settings.encryptionKeys.length === 0
  if (isInFile) {
    const running = (await listProcesses(db)).filter(({ isAlive, roles }) => isAlive && roles.includes('api'))
    if (running.length > 0) {
      throw new Error(
        `Managers run on this database that know the old key only: ${running.map(({ hostname }) => hostname).join(', ')}. ` +
          'Stop them and try again; one that was killed is forgotten after 20 seconds',
      )
    }
  }
  await loadKeys(db, settings)
  const keys = await keysForRotation(settings, isInFile)
  const ring = openKeyRing(keys)
  const fingerprint = ring.fingerprints[0] ?? ''
  let resealed = 0
  for (;;) {
    const count = await db
      .transaction()
      .execute((transaction) =>
        resealSome(transaction, fingerprint, (sealed) => ring.seal(ring.open(sealed))),
      )
    if (count === 0) break
    resealed += count
  }
  await writeFingerprint(db, fingerprint)
  if (isInFile) await writeKeyFile(settings.dataFolder, keys.slice(0, 1))
  return { resealed }
}

async function keysForRotation(settings: KeySettings, isInFile: boolean): Promise<readonly Buffer[]> {
  const present = await ownKeys(settings)
  // Two keys in the file: a rotation that was interrupted, which is finished first.
  if (!isInFile || present.length > 1) return present
  const keys = [newKey(), ...present]
  await writeKeyFile(settings.dataFolder, keys)
  return keys
}
