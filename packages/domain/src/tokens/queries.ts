import { type Database, type ListedResource, namedOnly, type Transaction, timeField } from '@tutti/storage'
import { sql } from 'kysely'

/** docs/reference/access.md, "Tokens". Only a hash of the secret is kept, so the value is shown without it. */
export const tokenResource: ListedResource = {
  model: 'Token',
  from: sql`tokens k join users u on u.id = k.user_id`,
  fields: {
    id: { column: sql`k.id` },
    username: { column: sql`u.username` },
    value: { column: sql`('ctok-' || k.id || '-********')` },
    role: { column: sql`u.role` },
    description: { column: sql`k.description` },
    expiration_date: timeField(sql`k.expiration_date`),
    last_used: timeField(sql`k.last_used`),
  },
  search: sql`k.id`,
  // Whose are seen is a condition of the service's.
  ...namedOnly,
  tieBreaker: sql`k.id`,
}

export const tokenIdIs = (id: string) => sql`k.id = ${id}`
export const ownedBy = (userId: number) => sql`k.user_id = ${userId}`
export const both = (one: ReturnType<typeof sql>, other: ReturnType<typeof sql>) => sql`${one} and ${other}`

export type NewToken = {
  readonly id: string
  readonly user_id: number
  readonly secret_hash: string
  readonly description: string | null
  readonly expiration_date: Date | null
}

/** False when the user's password is no longer the one that they came with: it ends all tokens. */
export async function insertToken(
  transaction: Transaction,
  token: NewToken,
  passwordHash: string | null,
): Promise<boolean> {
  const user = await transaction
    .selectFrom('users')
    .select('id')
    .where('id', '=', token.user_id)
    .where(sql<boolean>`password_hash is not distinct from ${passwordHash}`)
    .forShare()
    .executeTakeFirst()
  if (user === undefined) return false
  await transaction.insertInto('tokens').values(token).execute()
  return true
}

export async function deleteExpiredTokens(db: Database, userId: number, now: Date): Promise<void> {
  await db.deleteFrom('tokens').where('user_id', '=', userId).where('expiration_date', '<=', now).execute()
}

export async function deleteToken(db: Database, id: string): Promise<void> {
  await db.deleteFrom('tokens').where('id', '=', id).execute()
}
