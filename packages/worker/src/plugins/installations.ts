import { randomUUID } from 'node:crypto'
import { existsSync } from 'node:fs'
import { mkdir } from 'node:fs/promises'
import { join } from 'node:path'
import { type OperationUser, removeFolder } from '../operations/index.ts'
import { pythonOf } from './folders.ts'
import { type Origin, readNote, removeNote, writeNote } from './notes.ts'
import { oneAtATime } from './one-at-a-time.ts'

export type Installation = {
  readonly name: string
  readonly origin: Origin
  /** Who may remove what was begun: of a tenant's files that tenant's user, which links in them lead nowhere. */
  readonly user: OperationUser
  /** Makes the environment in the empty folder; answers what was installed. */
  readonly make: (folder: string, signal: AbortSignal) => Promise<readonly string[]>
  /** When it is there. */
  readonly onMade?: () => Promise<void>
}

export type Installations = {
  /** The folder of the environment, if it is complete. */
  find(name: string): Promise<string | undefined>
  /**
   * The same, made first unless another worker of this machine has made it meanwhile. All that ask at once wait for one
   * installation, which goes on when none of them waits any more: the next will want it.
   */
  ensure(installation: Installation): Promise<string>
  /** It has no note any more. */
  forget(name: string): void
  stop(): Promise<void>
}

/** The environments of this machine: each is made once, and there when it is complete. */
export function createInstallations(root: string): Installations {
  const closing = new AbortController()
  const running = new Map<string, Promise<string>>()
  const complete = new Map<string, string>()

  async function find(name: string): Promise<string | undefined> {
    const known = complete.get(name)
    if (known !== undefined && isThere(known)) return known
    complete.delete(name)
    const note = await readNote(root, name)
    if (note === undefined) return undefined
    const folder = join(root, note.folder)
    if (!isThere(folder)) return undefined
    complete.set(name, folder)
    return folder
  }

  async function make({ name, origin, user, make: makeIn, onMade }: Installation): Promise<string> {
    return oneAtATime(root, name, closing.signal, async () => {
      const made = await find(name)
      if (made !== undefined) return made
      // Of a folder that somebody has removed.
      await removeNote(root, name)
      const folder = `${name}.${randomUUID()}`
      const path = join(root, folder)
      await mkdir(path, { mode: 0o700 })
      const isFirst = await makeIn(path, closing.signal)
        .then((installed) => writeNote(root, { name, folder, origin, installed }))
        .catch(async (error) => {
          await removeFolder(path, user)
          throw error
        })
      if (isFirst) {
        complete.set(name, path)
        await onMade?.()
        return path
      }
      // Somebody who did not wait for us any longer was first.
      await removeFolder(path, user)
      const first = await find(name)
      if (first === undefined) throw new Error(`the environment ${name} was removed while it was made`)
      return first
    })
  }

  return {
    find,
    async ensure(installation) {
      const { name } = installation
      const found = await find(name)
      if (found !== undefined) return found
      const started = running.get(name) ?? make(installation).finally(() => running.delete(name))
      running.set(name, started)
      return started
    },
    forget: (name) => complete.delete(name),
    async stop() {
      closing.abort(new Error('the worker ends'))
      await Promise.allSettled(running.values())
    },
  }
}

/** Whoever tidies up this machine may have removed it. */
const isThere = (folder: string): boolean => existsSync(pythonOf(folder))
