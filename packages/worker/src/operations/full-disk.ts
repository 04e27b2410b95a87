import { statfs } from 'node:fs/promises'
import { type OperationOutcome, recoverable } from './outcome.ts'

/** How the launcher ends when there is no room for its answer (python/cloudify/answer.py). */
export const noSpaceExit = 75

/** With less than this, whatever died without an answer may have died of it. */
const leastBytes = 64 * 1024

/** Recoverable: disks are emptied, and the operation is none the worse for it. */
export function noSpace(where: string): OperationOutcome {
  return recoverable(`no space left on ${where}, where the worker keeps the files of running operations`)
}

/** Where the room was lacking, as far as the error says. */
export function noSpaceIn(error: unknown, otherwise: string): OperationOutcome {
  // Of a copy, `path` is what was read.
  const { path, dest } = error as NodeJS.ErrnoException & { readonly dest?: string }
  return noSpace(dest ?? path ?? otherwise)
}

export function isNoSpace(error: unknown): boolean {
  const { code } = error as NodeJS.ErrnoException
  return code === 'ENOSPC' || code === 'EDQUOT'
}

/** As everybody but root sees it. */
export async function isFull(folder: string): Promise<boolean> {
  const { bavail, bsize, files, ffree } = await statfs(folder)
  return bavail * bsize < leastBytes || (files > 0 && ffree === 0)
}
