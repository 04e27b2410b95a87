import { ApiError } from '@tutti/api'
import type { Scope } from '@tutti/storage'
import type { Actor } from '../actor.ts'
import { findSecretOf } from './queries.ts'
import { openValue } from './read.ts'
import { hidesValue } from './service.ts'

/** The text of a secret; undefined when the scope shows none of that key. */
export type ReadSecret = (scope: Scope, key: string) => Promise<string | undefined>

/**
 * What functions make of secrets for somebody who reads. A hidden value is the empty text for whom it is hidden from, as
 * it is when the secret itself is read; operations, which ask by the token of their execution, get it.
 */
export function shownSecrets(actor: Actor): ReadSecret {
  return (scope, key) => readSecretValue(actor, scope, key, () => '')
}

/** What functions compare with, and show to nobody: the text of each secret. */
export function comparedSecrets(actor: Actor): ReadSecret {
  return async (scope, key) => {
    const secret = await findSecretOf(actor.services.db, scope, key)
    return secret && openValue(actor.services, secret)
  }
}

/**
 * What functions in the parameters of an execution make of secrets: whoever sees the execution sees those.
 *
 * @throws forbidden_error when the value is hidden from the caller
 */
export function usedSecrets(actor: Actor): ReadSecret {
  return (scope, key) =>
    readSecretValue(actor, scope, key, () => {
      throw new ApiError(
        'forbidden_error',
        `User \`${actor.caller.username}\` is not permitted to read the hidden secret \`${key}\``,
      )
    })
}

async function readSecretValue(actor: Actor, scope: Scope, key: string, hidden: () => string) {
  const { services, caller } = actor
  const secret = await findSecretOf(services.db, scope, key)
  if (secret === undefined) return undefined
  if (caller.execution === undefined && (await hidesValue(actor, secret))) return hidden()
  return openValue(services, secret)
}
