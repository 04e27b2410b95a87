import { getSystemErrorMessage } from 'node:util'
import { ApiError } from '@tutti/api'
import { isDatabaseAway } from './database-away.ts'

/** What users are told of a defect of ours; the error itself is for the log. */
export const internalFailure = 'An internal error: the log of the manager says more'

/**
 * Why something failed, in words that everybody may see. What a machine lacks is said in the system's words, as people
 * can do something about it; but messages of the system, the database and their drivers hold paths, addresses and
 * statements, and those of defects our inside: they are for the log. Never a stack.
 */
export function publicReason(error: unknown): string {
  if (!(error instanceof Error)) return internalFailure
  if (error instanceof ApiError) return error.message
  if (isDatabaseAway(error)) return 'The database does not answer now'
  const { code, errno } = error as { readonly code?: unknown; readonly errno?: unknown }
  if (typeof errno === 'number' && errno < 0) return getSystemErrorMessage(errno) ?? internalFailure
  if (code === '22021' || code === '22P05') return 'A text holds a NUL character, which cannot be stored'
  const isDefect = [TypeError, RangeError, ReferenceError, SyntaxError].some((kind) => error instanceof kind)
  const [line = ''] = error.message.split('\n')
  return isDefect || code !== undefined || line === '' ? internalFailure : line
}
