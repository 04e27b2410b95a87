import { randomInt } from 'node:crypto'
import { ApiError, type ListAnswer, type ListQuery, type RouteBody } from '@tutti/api'
import type { Transaction } from '@tutti/storage'
import { everything, findItem, listPage } from '@tutti/storage'
import type { Actor } from '../actor.ts'
import { noCredentials, sha256 } from '../authentication/index.ts'
import { parseExpiration } from './expiration.ts'
import {
  both,
  deleteExpiredTokens,
  deleteToken,
  insertToken,
  ownedBy,
  tokenIdIs,
  tokenResource,
} from './queries.ts'

/** The caller's tokens; everybody's for holders of `manage_others_tokens` (docs/reference/access.md, "Tokens"). */
export async function listTokens(actor: Actor, list: ListQuery): Promise<ListAnswer> {
  const own = seesAll(actor) ? [] : [ownedBy(actor.caller.userId)]
  return listPage(actor.services.db, tokenResource, list, everything, own)
}

/** Without its value. @throws not_found_error */
export async function getToken(actor: Actor, id: string, include?: readonly string[]) {
  const { caller, services } = actor
  const condition = seesAll(actor) ? tokenIdIs(id) : both(tokenIdIs(id), ownedBy(caller.userId))
  const item = (await findItem(services.db, tokenResource, condition, everything, include))?.item
  if (item === undefined) throw new ApiError('not_found_error', `Could not find token ${id}`)
  return item
}

/** Makes a token for the caller, whose expired ones are cleaned away. Only this answer shows its value. */
export async function createToken(actor: Actor, transaction: Transaction, body: RouteBody<'tokens.create'>) {
  const { caller, services } = actor
  const now = services.now()
  const expirationDate = parseExpiration(body.expiration_date, now) ?? null
  const id = randomAlphanumerics(10)
  const secret = randomAlphanumerics(40)
  const description = body.description ?? null
  await deleteExpiredTokens(transaction, caller.userId, now)
  const token = {
    id,
    user_id: caller.userId,
    secret_hash: sha256(secret),
    description,
    expiration_date: expirationDate,
  }
  if (!(await insertToken(transaction, token, caller.passwordHash))) throw noCredentials()
  return {
    id,
    username: caller.username,
    value: `ctok-${id}-${secret}`,
    role: caller.systemRole,
    description,
    expiration_date: expirationDate?.toISOString() ?? null,
    last_used: null,
  }
}

/** @throws not_found_error */
export async function removeToken(actor: Actor, id: string): Promise<void> {
  await getToken(actor, id)
  await deleteToken(actor.services.db, id)
}

function seesAll({ rights }: Actor): boolean {
  return rights.holds('manage_others_tokens')
}

const alphanumerics = 'ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789'

function randomAlphanumerics(length: number): string {
  return Array.from({ length }, () => alphanumerics[randomInt(alphanumerics.length)]).join('')
}
