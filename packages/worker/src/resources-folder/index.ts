import { basename, join } from 'node:path'
import { type ConfigValues, createAbandonedSweep, isDatabaseAway, unpackedArchive } from '@tutti/storage'
import { createCoalescedTask } from '../coalesced-task.ts'
import type { WorkerLog } from '../log.ts'
import { operationUser } from '../operations/index.ts'
import type { WorkerSettings } from '../settings.ts'
import { layOutBlueprint, removeReadOnly } from './blueprint-folder.ts'
import {
  type Deployment,
  fetchFolder,
  onlyHere,
  removeTree,
  type Store,
  storeFolder,
} from './deployment-folder.ts'
import { folderOf, insideOf, lockFolder, noteFile, type Owner } from './names.ts'
import { isNoteFile, listNotes, removeNote } from './notes.ts'
import { openResourcesFolder } from './open-folder.ts'
import { findGone, type HeldBy, readSurroundings } from './queries.ts'
import { createTurns, inTurn } from './turns.ts'

export { readInstallation } from './queries.ts'

/** Where the files of a blueprint lie while an operation of its deployments runs; undefined for ids that are no names. */
export const blueprintFolder = (root: string, tenant: string, id: string): string | undefined =>
  folderOf(root, { kind: 'blueprints', tenant, id })

/**
 * Files where scripts look for them: `blueprints/TENANT/ID` is the unpacked blueprint, to be read, `deployments/TENANT/ID`
 * is the deployment's own folder, to be written. The second is stored after every operation that changed something and
 * fetched before the next where another worker stored it last: whoever ends last wins, and what is lost with a worker is
 * what its running operations had written.
 */
export type ResourcesFolder = {
  /** Before an operation of the deployment. @throws errors of the file system, such as a full disk */
  enter(tenantId: number, deploymentId: string): Promise<Entered>
  /** Removes soon what is of blueprints and deployments that are no more. */
  sweep(): void
  stop(): Promise<void>
}

export type Entered = {
  /** After it. Answers what of the folder is not kept for other workers, and why, if something is not. */
  leave(heldBy: HeldBy): Promise<string | undefined>
  /** When the operation is another worker's by now. */
  drop(): void
}

type Services = {
  readonly db: Store['db']
  readonly settings: Pick<
    WorkerSettings,
    | 'dataFolder'
    | 'environment'
    | 'maxArchiveBytes'
    | 'maxUnpackedBytes'
    | 'maxUnpackedEntries'
    | 'operationUsers'
    | 'resourcesSweepMs'
    | 'workFolder'
  >
  readonly config: Pick<ConfigValues, 'get'>
  readonly log: Pick<WorkerLog, 'warn'>
}

export async function openResources({ db, settings, config, log }: Services): Promise<ResourcesFolder> {
  const { resourcesFolder: root } = settings.environment
  const { workFolder, maxArchiveBytes, dataFolder, maxUnpackedBytes, maxUnpackedEntries } = settings
  await openResourcesFolder(root)
  const limits = { maxBytes: maxUnpackedBytes, maxEntries: maxUnpackedEntries }
  const store: Store = { db, root, workFolder, limits, maxArchiveBytes }
  const alone = createTurns()
  /** How many operations are at work in a folder. */
  const busy = new Map<string, number>()
  const count = (key: string, difference: number) => {
    const now = (busy.get(key) ?? 0) + difference
    if (now === 0) busy.delete(key)
    else busy.set(key, now)
  }

  async function remove(owner: Owner): Promise<void> {
    const folder = folderOf(root, owner)
    const key = noteFile(root, owner)
    await alone(key, async () => {
      if (busy.has(key)) return
      await inTurn(root, owner, async () => {
        if (folder !== undefined)
          await (owner.kind === 'blueprints' ? removeReadOnly(folder) : removeTree(folder))
        await removeNote(root, owner)
      })
    })
  }

  const warn = (error: unknown) =>
    log.warn({ err: error }, 'folders of what was deleted could not be removed yet')
  const leftOvers = [
    createAbandonedSweep(join(insideOf(root), 'staging'), {
      wanted: async () => new Set(),
      afterMs: longestStagingMs,
      remove: removeReadOnly,
    }),
    createAbandonedSweep(join(insideOf(root), 'notes'), {
      wanted: async (names) => new Set(names.filter(isNoteFile)),
      afterMs: longestStagingMs,
    }),
    createAbandonedSweep(join(insideOf(root), 'locks'), {
      wanted: async () => new Set((await listNotes(root)).map((note) => basename(lockFolder(root, note)))),
      afterMs: longestStagingMs,
    }),
  ]
  const sweeper = createCoalescedTask(
    async () => {
      for (const sweep of leftOvers) await sweep().catch(warn)
      for (const gone of await findGone(db, await listNotes(root))) {
        // One that cannot be removed does not keep the others.
        await remove(gone).catch(warn)
      }
    },
    { delayMs: 0, onError: warn },
  )
  sweeper.ask()
  const timer = setInterval(() => sweeper.ask(), settings.resourcesSweepMs)
  timer.unref()

  return {
    async enter(tenantId, deploymentId) {
      const surroundings = await readSurroundings(db, tenantId, deploymentId)
      if (surroundings === undefined) return nothing
      const { tenant, blueprintId, blueprintSha256 } = surroundings
      const user = operationUser(settings.operationUsers, tenantId)
      if (blueprintId !== null && blueprintSha256 !== null) {
        const unpacked = () =>
          unpackedArchive(db, blueprintSha256, join(dataFolder, 'archives'), {
            maxBytes: config.get('blueprint_folder_max_size_mb') * 2 ** 20,
            maxEntries: config.get('blueprint_folder_max_files'),
          })
        const blueprint = { tenant, id: blueprintId, sha256: blueprintSha256, unpacked }
        await alone(noteFile(root, { kind: 'blueprints', tenant, id: blueprintId }), () =>
          layOutBlueprint(root, blueprint, user),
        )
      }
      const deployment: Deployment = { tenantId, id: deploymentId, surroundings, user }
      const owner = { kind: 'deployments', tenant, id: deploymentId } as const
      const key = noteFile(root, owner)
      const present = async (): Promise<Deployment | undefined> => {
        const now = await readSurroundings(db, tenantId, deploymentId)
        return now && { ...deployment, surroundings: now }
      }
      await alone(key, async () => {
        // Those at work here have it, and write into it.
        if (!busy.has(key)) await fetchFolder(store, owner, present)
        count(key, 1)
      })
      return {
        leave: (heldBy) =>
          alone(key, async () => {
            try {
              return await storeFolder(store, deployment, heldBy)
            } catch (error) {
              // The operation is done, and what it wrote is here: it is stored with what the next one writes.
              log.warn(
                { err: error, deployment: deploymentId },
                'the folder of a deployment could not be stored yet',
              )
              return isDatabaseAway(error)
                ? undefined
                : onlyHere(`it could not be stored: ${(error as Error).message}`)
            } finally {
              count(key, -1)
            }
          }),
        drop: () => count(key, -1),
      }
    },
    sweep: () => sweeper.ask(),
    async stop() {
      clearInterval(timer)
      await sweeper.stop()
    },
  }
}

/** For laying something out: what is older was left by a worker that was killed. */
const longestStagingMs = 3_600_000

const nothing: Entered = { leave: async () => undefined, drop: () => undefined }
