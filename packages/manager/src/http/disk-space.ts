import { randomUUID } from 'node:crypto'
import { rm, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { ApiError } from '@tutti/api'
import { isDiskFull } from '@tutti/storage'

/** Whether there is room for what requests store. */
export type DiskSpace = {
  /** A request has just found that there is none, perhaps on the disk of the database. */
  noteFull(): void
  /** @throws insufficient_storage_error */
  check(): Promise<void>
}

/** As much as small writes need at least. */
const triedBytes = 256 * 1024
/** Who asks often is told what was found last. */
const rememberedMs = 1_000

export type DiskSpaceOptions = {
  readonly nowMs?: () => number
  /** The database's disk is not to be looked at from here: a refusal counts for so long. */
  readonly refusalMs?: number
}

/** Looks by writing: quotas, reserved blocks and inodes are in no figure of free space. */
export function createDiskSpace(
  folder: string,
  { nowMs = () => performance.now(), refusalMs = 15_000 }: DiskSpaceOptions = {},
): DiskSpace {
  let refusedMs = Number.NEGATIVE_INFINITY
  let triedMs = Number.NEGATIVE_INFINITY
  let trying: Promise<boolean> = Promise.resolve(true)
  return {
    noteFull() {
      refusedMs = nowMs()
    },
    async check() {
      if (nowMs() - triedMs >= rememberedMs) {
        triedMs = nowMs()
        trying = hasRoom(folder)
      }
      if (!(await trying) || nowMs() - refusedMs < refusalMs) throw noSpaceLeft()
    },
  }
}

async function hasRoom(folder: string): Promise<boolean> {
  const path = join(folder, `disk-space-${randomUUID()}`)
  try {
    await writeFile(path, Buffer.alloc(triedBytes, 1), { mode: 0o600, flush: true })
    return true
  } catch (error) {
    if (isDiskFull(error)) return false
    throw error
  } finally {
    await rm(path, { force: true })
  }
}

export const noSpaceLeft = (): ApiError =>
  new ApiError('insufficient_storage_error', 'There is no space left on the disk of the manager', {
    hint: 'Nothing of the request was stored. Free space on the disk, then send it again',
  })
