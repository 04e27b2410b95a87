import { randomUUID } from 'node:crypto'
import { link, readdir, readFile, rename, rm, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { EmbeddedPostgresError } from './error.ts'
import { identifyProcess, isAlive, type ProcessIdentity, pidSpace } from './process-identity.ts'

type Owner = ProcessIdentity & {
  readonly pidSpace: string
  /** ISO 8601, for people. */
  readonly since: string
  readonly released: boolean
}

export type FolderLock = { readonly release: () => Promise<void> }

/**
 * Makes this process the one owner of `folder` until it releases it or dies, however it dies. Answers whoever has it
 * instead.
 *
 * Node has no flock(2), so ownership is a file `owner-N` that names a process by pid and start time, and the
 * highest N counts. Taking over from a dead owner is the exclusive creation of `owner-(N+1)`: of two
 * processes that find the same dead owner only one succeeds. Only the winner deletes lower numbers and nobody
 * ever deletes the highest one, so no process can remove an ownership that it has not seen.
 *
 * `isHeldElsewhere` answers for owners in another pid namespace (two containers on one volume), whose pids say
 * nothing here.
 */
export async function takeFolder(
  folder: string,
  isHeldElsewhere: (owner: Owner) => Promise<boolean>,
): Promise<FolderLock | { readonly heldBy: Owner }> {
  const space = await pidSpace()
  const self = await identifyProcess(process.pid)
  if (self === undefined) throw new Error(`this process, ${process.pid}, is not in the process table`)
  const owner: Owner = { ...self, pidSpace: space, since: new Date().toISOString(), released: false }

  for (;;) {
    const highest = await highestOwner(folder)
    if (highest?.owner !== undefined && (await isHeld(highest.owner, space, isHeldElsewhere))) {
      return { heldBy: highest.owner }
    }
    const number = (highest?.number ?? 0) + 1
    if (!(await createExclusively(folder, number, owner))) continue // another starter was first: look again
    await removeBelow(folder, number)
    return { release: () => replace(folder, number, { ...owner, released: true }) }
  }
}

/**
 * The same for the data folder of an embedded database. `isServedElsewhere`: is a PostgreSQL answering in this folder?
 *
 * @throws EmbeddedPostgresError `data_folder_in_use`
 */
export async function lockDataFolder(
  folder: string,
  isServedElsewhere: () => Promise<boolean>,
): Promise<FolderLock> {
  const taken = await takeFolder(folder, isServedElsewhere)
  if ('heldBy' in taken) throw inUse(folder, taken.heldBy)
  return taken
}

async function isHeld(owner: Owner, space: string, isHeldElsewhere: (owner: Owner) => Promise<boolean>) {
  if (owner.released) return false
  return owner.pidSpace === space ? await isAlive(owner) : await isHeldElsewhere(owner)
}

function inUse(folder: string, owner: Owner): EmbeddedPostgresError {
  return new EmbeddedPostgresError(
    'data_folder_in_use',
    `the data folder ${folder} is in use by the process ${owner.pid} since ${owner.since}. One process owns ` +
      'an embedded database: stop that one first, or give this one another data folder. For several managers ' +
      'on the same data, set TUTTI_DATABASE_URL to a PostgreSQL of your own',
  )
}

const ownerFile = (folder: string, number: number) => join(folder, `owner-${number}`)

async function highestOwner(folder: string) {
  const numbers = (await readdir(folder)).map((name) => Number(/^owner-(\d+)$/.exec(name)?.[1] ?? 0))
  const number = Math.max(0, ...numbers)
  if (number === 0) return undefined
  const text = await readFile(ownerFile(folder, number), 'utf8').catch((error: NodeJS.ErrnoException) => {
    if (error.code === 'ENOENT') return '' // a newer owner has just removed it; its own number is higher
    throw error
  })
  return { number, owner: parseOwner(text) }
}

/** Files are created and replaced whole, so text that is no owner was damaged from outside: nobody holds it. */
function parseOwner(text: string): Owner | undefined {
  try {
    const { pid, startedAt, pidSpace, since, released } = JSON.parse(text) as Partial<Owner>
    if (typeof pid !== 'number' || typeof startedAt !== 'string' || typeof pidSpace !== 'string')
      return undefined
    return { pid, startedAt, pidSpace, since: String(since), released: released === true }
  } catch {
    return undefined
  }
}

async function writeBeside(folder: string, number: number, owner: Owner): Promise<string> {
  const file = join(folder, `owner-${number}.${randomUUID()}.new`)
  await writeFile(file, JSON.stringify(owner), { mode: 0o600 })
  return file
}

/** link(2) fails when the name exists and shows the file only with its whole content. */
async function createExclusively(folder: string, number: number, owner: Owner): Promise<boolean> {
  const file = await writeBeside(folder, number, owner)
  try {
    await link(file, ownerFile(folder, number))
    return true
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'EEXIST') return false
    throw error
  } finally {
    await rm(file, { force: true })
  }
}

async function replace(folder: string, number: number, owner: Owner): Promise<void> {
  await rename(await writeBeside(folder, number, owner), ownerFile(folder, number))
}

async function removeBelow(folder: string, number: number): Promise<void> {
  for (const name of await readdir(folder)) {
    const found = /^owner-(\d+)$/.exec(name)?.[1]
    if (found !== undefined && Number(found) < number) await rm(join(folder, name), { force: true })
  }
}
