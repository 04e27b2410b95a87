import { ApiError } from '@tutti/api'
import type { Scope } from '@tutti/storage'
import type { Request } from '../../request.ts'
import { findSecretOf } from './queries.ts'
import { openValue } from './read.ts'
import { hidesValue } from './service.ts'

/** The text of a secret; undefined when the scope shows none of that key. */
export type ReadSecret = (scope: Scope, key: string) => Promise<string | undefined>

/**
 * What functions make of secrets for somebody who reads. A hidden value is the empty text for whom it is hidden from, as
 * it is when the secret itself is read; operations, which ask by the token of their execution, get it.
 */
export function shownSecrets(request: Request): ReadSecret {
  return (scope, key) => readSecretValue(request, scope, key, () => '')
}

/** What functions compare with, and show to nobody: the text of each secret. */
export function comparedSecrets(request: Request): ReadSecret {
  return async (scope, key) => {
    const secret = await findSecretOf(request.services.db, scope, key)
    return secret && openValue(request.services, secret)
  }
}

/**
 * What functions in the parameters of an execution make of secrets: whoever sees the execution sees those.
 *
 * @throws forbidden_error when the value is hidden from the caller
 */
export function usedSecrets(request: Request): ReadSecret {
  return (scope, key) =>
    readSecretValue(request, scope, key, () => {
      throw new ApiError(
        'forbidden_error',
        `User \`${request.caller.username}\` is not permitted to read the hidden secret \`${key}\``,
      )
    })
}

async function readSecretValue(request: Request, scope: Scope, key: string, hidden: () => string) {
  const { services, caller } = request
  const secret = await findSecretOf(services.db, scope, key)
  if (secret === undefined) return undefined
  if (caller.execution === undefined && (await hidesValue(request, secret))) return hidden()
  return openValue(services, secret)
}
