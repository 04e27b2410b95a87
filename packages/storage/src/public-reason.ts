import { getSystemErrorMessage } from 'node:util'
import { ApiError } from '@tutti/api'
import { isDatabaseAway } from './database-away.ts'

/**
 * Why something failed, in words that everybody may see. Messages of the system, the database and their drivers hold
 * paths, addresses and statements: those belong into the log, next to where this is used.
 */
export function publicReason(error: unknown): string {
  if (error instanceof ApiError) return error.message
  if (isDatabaseAway(error)) return 'the database does not answer now'
  const { code, errno } = error as { readonly code?: unknown; readonly errno?: unknown }
  if (typeof errno === 'number' && errno < 0) return getSystemErrorMessage(errno) ?? unknown
  if (code === '22021' || code === '22P05') return 'a text holds a NUL character, which cannot be stored'
  return unknown
}

const unknown = 'an internal error, which the log of the worker describes'
