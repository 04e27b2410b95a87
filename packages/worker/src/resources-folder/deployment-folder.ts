import { randomUUID } from 'node:crypto'
import { createReadStream, createWriteStream } from 'node:fs'
import { chmod, lstat, mkdir, readdir, rename, rm } from 'node:fs/promises'
import { join } from 'node:path'
import { Readable } from 'node:stream'
import { pipeline } from 'node:stream/promises'
import { createGzip } from 'node:zlib'
import { type Database, readArchive, unpackArchive, writeArchive } from '@tutti/storage'
import { handOver, type OperationUser, removeFolder } from '../operations/index.ts'
import { fingerprintOf, type Limits, TooLarge } from './fingerprint.ts'
import { folderOf, insideOf, type Owner } from './names.ts'
import { readNote, unlessAbsent, writeNote } from './notes.ts'
import { openTenantFolder } from './open-folder.ts'
import { type HeldBy, type Surroundings, writeDeploymentFolder } from './queries.ts'
import { openToOwner, packInto, unpackFrom } from './tar.ts'
import { inTurn } from './turns.ts'

export type Deployment = {
  readonly tenantId: number
  readonly id: string
  readonly surroundings: Surroundings
  readonly user: OperationUser
}

export type Store = {
  readonly db: Database
  readonly root: string
  /** For what is packed, before it is stored. */
  readonly workFolder: string
  readonly limits: Limits
  readonly maxArchiveBytes: number
}

const ownerOf = ({ id, surroundings }: Deployment) =>
  ({ kind: 'deployments', tenant: surroundings.tenant, id }) as const

/**
 * Makes the folder what the last operation anywhere left of it. What that is, is asked when nobody stores it any more: an
 * older answer would bring back what was before.
 */
export async function fetchFolder(
  store: Store,
  owner: Owner,
  present: () => Promise<Deployment | undefined>,
): Promise<void> {
  const folder = folderOf(store.root, owner)
  if (folder === undefined) return
  const before = await present()
  if (before === undefined || (await isPresent(store, before, folder))) return
  await inTurn(store.root, owner, async () => {
    const deployment = await present()
    if (deployment === undefined || (await isPresent(store, deployment, folder))) return
    await makePresent(store, deployment, folder)
  })
}

async function isPresent({ root }: Store, deployment: Deployment, folder: string): Promise<boolean> {
  const { surroundings, user } = deployment
  const note = await readNote(root, ownerOf(deployment))
  return (
    note?.content === surroundings.createdAt &&
    note.version === surroundings.folderVersion &&
    note.user === user &&
    (await isThere(folder))
  )
}

async function makePresent(store: Store, deployment: Deployment, folder: string): Promise<void> {
  const { db, root, limits } = store
  const { surroundings, user } = deployment
  const { createdAt, folderSha256, folderVersion, restoredSha256 } = surroundings
  const owner = ownerOf(deployment)
  const note = await readNote(root, owner)
  const wasThere = await isThere(folder)
  await openTenantFolder(root, 'deployments', owner.tenant, user)
  // What is there without a note was there before Tutti, and is adopted: the rest is of another state, or another time.
  if (wasThere && (note !== undefined || folderSha256 !== null)) await removeTree(folder)
  await mkdir(folder, { recursive: true, mode: 0o700 })
  await handOver(folder, user)
  if (folderSha256 !== null) {
    const archive = await readArchive(db, folderSha256)
    if (archive === undefined)
      throw new Error(`the stored folder of deployment ${deployment.id} is being replaced`)
    await unpackFrom({ folder, user }, archive.chunks)
  }
  if (folderSha256 === null && restoredSha256 !== null && note?.content !== createdAt) {
    await restoreFolder(store, folder, restoredSha256, user)
  }
  const isAdopted = wasThere && note === undefined && folderSha256 === null
  const fingerprint = isAdopted ? 'adopted' : await fingerprintOf(folder, limits)
  await writeNote(root, { ...owner, user, content: createdAt, version: folderVersion, fingerprint })
}

const isThere = async (path: string): Promise<boolean> =>
  (await lstat(path).catch(unlessAbsent(undefined))) !== undefined

/** What a snapshot kept of the folder. Made where nobody else writes, and moved when it is complete. */
async function restoreFolder(
  { db, root, limits, workFolder }: Store,
  folder: string,
  sha256: string,
  user: OperationUser,
): Promise<void> {
  const archive = await readArchive(db, sha256)
  if (archive === undefined) throw new Error(`the restored folder of ${folder} is not in the database`)
  const file = join(workFolder, `restored-${randomUUID()}.zip`)
  const staged = join(insideOf(root), 'staging', randomUUID())
  try {
    await pipeline(Readable.from(archive.chunks), createWriteStream(file, { mode: 0o600 }))
    await unpackArchive(file, staged, { ...limits, topLevel: 'anything' })
    await handOverTree(staged, user)
    await removeTree(folder)
    await rename(staged, folder)
    await chmod(folder, 0o700)
  } finally {
    await rm(file, { force: true })
    await rm(staged, { recursive: true, force: true })
  }
}

async function handOverTree(path: string, user: OperationUser): Promise<void> {
  if (user === null) return
  for (const entry of await readdir(path, { recursive: true, withFileTypes: true })) {
    await handOver(join(entry.parentPath, entry.name), user)
  }
  await handOver(path, user)
}

/** Stores what an operation has changed, for whichever worker runs the next. Answers what is not stored, and why. */
export async function storeFolder(
  store: Store,
  deployment: Deployment,
  heldBy: HeldBy,
): Promise<string | undefined> {
  const { db, root, limits, maxArchiveBytes, workFolder } = store
  const owner = ownerOf(deployment)
  const folder = folderOf(root, owner)
  const note = folder === undefined ? undefined : await readNote(root, owner)
  if (folder === undefined || note === undefined) return undefined
  let fingerprint = 'too large'
  try {
    fingerprint = await fingerprintOf(folder, limits)
    if (fingerprint === note.fingerprint) return undefined
    return await inTurn(root, owner, async () => {
      const file = join(workFolder, `folder-${randomUUID()}.tar.gz`)
      try {
        const pack = (without: boolean) =>
          packInto(
            { folder, user: deployment.user },
            (tar) =>
              pipeline(
                tar,
                limited(limits.maxBytes + limits.maxEntries * 8_192 + 10_240),
                createGzip({ level: 1 }),
                limited(maxArchiveBytes),
                createWriteStream(file, { mode: 0o600 }),
              ),
            { without },
          )
        let closed = await pack(false)
        if (closed !== undefined) {
          await openToOwner({ folder, user: deployment.user })
          fingerprint = await fingerprintOf(folder, limits)
          closed = await pack(true)
        }
        const version = await db.transaction().execute(async (transaction) => {
          const { sha256 } = await writeArchive(transaction, createReadStream(file), {
            maxBytes: maxArchiveBytes,
          })
          const { createdAt } = deployment.surroundings
          return writeDeploymentFolder(
            transaction,
            { tenantId: deployment.tenantId, deploymentId: deployment.id, createdAt },
            sha256,
            heldBy,
          )
        })
        if (version !== undefined) await writeNote(root, { ...note, version, fingerprint })
        return closed === undefined
          ? undefined
          : `Part of the folder of the deployment is on this worker only: ${closed}`
      } finally {
        await rm(file, { force: true })
      }
    })
  } catch (error) {
    if (!(error instanceof TooLarge)) throw error
    if (note.fingerprint !== fingerprint) await writeNote(root, { ...note, fingerprint })
    return onlyHere(error.message)
  }
}

export const onlyHere = (reason: string): string =>
  `The folder of the deployment is on this worker only: ${reason}`

function limited(maxBytes: number) {
  return async function* (source: AsyncIterable<Buffer>) {
    let seen = 0
    for await (const chunk of source) {
      seen += chunk.length
      if (seen > maxBytes) throw new TooLarge(`packed it has more than ${maxBytes} bytes`)
      yield chunk
    }
  }
}

/** As the user whose it is, whatever is noted of it: the folder itself is in one of the worker's own. */
export async function removeTree(folder: string): Promise<void> {
  const found = await lstat(folder).catch(unlessAbsent(undefined))
  if (found !== undefined) await removeFolder(folder, found.uid === process.getuid?.() ? null : found.uid)
}
