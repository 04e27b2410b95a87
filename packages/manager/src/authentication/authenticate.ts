import { createHash, timingSafeEqual } from 'node:crypto'
import { unauthorized } from '@tutti/api'
import type { Services } from '../services.ts'
import type { Credentials } from './credentials.ts'
import type { AccessView, KnownUser } from './directory.ts'
import { isLocked } from './lockout.ts'
import { findExecutionOfToken, recordFailedLogin, recordLogin, recordTokenUse } from './queries.ts'

/** Who asks. `execution` is there when an operation or a workflow asks by its execution's token. */
export type Caller = {
  readonly userId: number
  readonly username: string
  /** The user's own; groups may add others to `systemRoles`. */
  readonly systemRole: string
  readonly systemRoles: readonly string[]
  /** By tenant id. */
  readonly tenantRoles: Readonly<Record<string, readonly string[]>>
  readonly execution: { readonly id: string; readonly tenantId: number; readonly status: string } | undefined
}

/** @throws unauthorized_error with the texts of spec/rest-facts-b.md 2 */
export async function authenticate(
  services: Services,
  view: AccessView,
  credentials: Credentials,
): Promise<Caller> {
  switch (credentials.kind) {
    case 'execution-token':
      return byExecutionToken(services, view, credentials.token)
    case 'basic':
      return byPassword(services, view, credentials.username, credentials.password)
    case 'token':
      return credentials.token.startsWith('ctok-')
        ? byToken(services, view, credentials.token)
        : byExecutionToken(services, view, credentials.token)
    case 'none':
      throw unauthorized('No authentication info provided')
  }
}

async function byPassword(services: Services, view: AccessView, username: string, password: string) {
  const { db, directory } = services
  const user = await view.user(username)
  if (user === undefined) throw unauthorized('No authentication info provided')
  if (await mayEnter(services, user, password)) return entered(services, user)
  // The password, or the end of a lock, may have been set a moment ago.
  const current = view === directory.fresh ? undefined : await directory.fresh.user(username)
  const isOther = current?.passwordHash !== user.passwordHash || current?.failedLogins !== user.failedLogins
  if (current !== undefined && isOther && (await mayEnter(services, current, password))) {
    return entered(services, current)
  }
  await recordFailedLogin(db, user.id)
  throw unauthorized(
    `Authentication failed for <User username=\`${user.username}\`>. Wrong credentials or locked account`,
  )
}

async function mayEnter({ passwords, lockout, now }: Services, user: KnownUser, password: string) {
  if (user.passwordHash === null || isLocked(lockout(), user, now())) return false
  return passwords.fits(user.passwordHash, password)
}

async function entered({ db, directory }: Services, user: KnownUser): Promise<Caller> {
  const caller = callerOf(user)
  const isDue = directory.isToBeDated(`login/${user.id}`)
  if (isDue || user.failedLogins > 0) await recordLogin(db, user.id)
  return caller
}

async function byToken({ db, directory, now }: Services, view: AccessView, token: string): Promise<Caller> {
  const [, id, secret, ...rest] = token.split('-')
  if (id === undefined || secret === undefined || rest.length > 0)
    throw unauthorized('Invalid token structure')
  const found = await view.token(id)
  if (found === undefined || !equalHex(found.secretHash, sha256(secret))) throw unauthorized('Unauthorized')
  if (found.expirationDate !== null && found.expirationDate <= now()) throw unauthorized('Token is expired')
  const caller = callerOf(await view.user(found.username))
  if (directory.isToBeDated(`token/${id}`)) await recordTokenUse(db, id)
  return caller
}

async function byExecutionToken({ db }: Services, view: AccessView, token: string): Promise<Caller> {
  const found = await findExecutionOfToken(db, sha256(token))
  if (found === undefined) throw unauthorized('Authentication failed, invalid Execution Token')
  const { id, tenantId, status, createdBy } = found
  return callerOf(await view.user(createdBy), { id, tenantId, status })
}

function callerOf(user: KnownUser | undefined, execution?: Caller['execution']): Caller {
  if (user === undefined || !user.active) throw unauthorized('No authentication info provided')
  const { id: userId, username, role, groupRoles, tenantRoles } = user
  return {
    userId,
    username,
    systemRole: role,
    systemRoles: [...new Set([role, ...groupRoles])],
    tenantRoles,
    execution,
  }
}

/** Tokens are long and random: one round of SHA-256 is enough to keep them unreadable at rest. */
export function sha256(text: string): string {
  return createHash('sha256').update(text).digest('hex')
}

function equalHex(one: string, other: string): boolean {
  return one.length === other.length && timingSafeEqual(Buffer.from(one), Buffer.from(other))
}
