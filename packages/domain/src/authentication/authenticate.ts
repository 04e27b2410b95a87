import { createHash, timingSafeEqual } from 'node:crypto'
import { ApiError, unauthorized } from '@tutti/api'
import { notify } from '@tutti/storage'
import { bootstrapAdmin } from '../first.ts'
import type { Credentials } from './credentials.ts'
import type { AccessView, KnownLdap, KnownUser } from './directory.ts'
import { isUsername } from './ldap/login.ts'
import { isLocked } from './lockout.ts'
import type { Asking } from './passwords.ts'
import { findExecutionOfToken, recordFailedLogin, recordLogin, recordTokenUse } from './queries.ts'
import type { AuthenticationServices } from './services.ts'

/** Who asks. `execution` is there when an operation or a workflow asks by its execution's token. */
export type Caller = {
  readonly userId: number
  readonly username: string
  /** The user's own; groups may add others to `systemRoles`. */
  readonly systemRole: string
  readonly systemRoles: readonly string[]
  /** By tenant id. */
  readonly tenantRoles: Readonly<Record<string, readonly string[]>>
  /** How they said who they are. */
  readonly by: 'nothing' | 'password' | 'token' | 'execution'
  /** The one that held when they did. */
  readonly passwordHash: string | null
  readonly execution:
    | {
        readonly id: string
        readonly tenantId: number
        readonly status: string
        readonly isSystemWorkflow: boolean
      }
    | undefined
}

/** Nobody has said who asks, where nobody must. */
export const anonymous: Caller = {
  userId: -1,
  username: '',
  systemRole: '',
  systemRoles: [],
  tenantRoles: {},
  by: 'nothing',
  passwordHash: null,
  execution: undefined,
}

export const noCredentials = () => unauthorized('No authentication info provided')

export type Attempt = Asking & {
  /** What is asked for outlives the request: a token. */
  readonly isLasting: boolean
}

/** @throws unauthorized_error with the texts of docs/reference/access.md, "Credentials", too_many_requests_error after wrong passwords */
export async function authenticate(
  services: AuthenticationServices,
  view: AccessView,
  credentials: Credentials,
  attempt: Attempt,
): Promise<Caller> {
  switch (credentials.kind) {
    case 'execution-token':
      return byExecutionToken(services, view, credentials.token)
    case 'basic':
      return byPassword(services, view, { ...credentials, ...attempt })
    case 'token':
      return credentials.token.startsWith('ctok-')
        ? byToken(services, view, credentials.token)
        : byExecutionToken(services, view, credentials.token, 'Invalid token structure')
    case 'none':
      throw noCredentials()
  }
}

type Login = Extract<Credentials, { kind: 'basic' }> & Attempt

/**
 * Guesses of one user's password from one address are looked at one after the other, and ever more slowly. Of names that
 * nobody has all is the same, the time that it takes included.
 */
async function byPassword(services: AuthenticationServices, view: AccessView, login: Login): Promise<Caller> {
  const { username, otherwise } = login
  const ldap = await view.ldap()
  // In the directory names may be what they cannot be here.
  const find = async () => (isUsername(username) ? view.user(username) : undefined)
  const user = await find()
  const isLdap = ldap !== undefined && user?.id !== bootstrapAdmin.id
  if (user === undefined && !isLdap && otherwise.kind !== 'none') {
    const other = await authenticate(services, view, otherwise, login).catch(unlessUnauthorized)
    if (other !== undefined) return other
  }
  const { passwords, slowDown, db } = services
  const key = sha256(`${username.toLowerCase()} ${login.address}`)
  return passwords.inTurn(key, async () => {
    const waitMs = slowDown.waitMs(key)
    if (waitMs > 0) throw tooManyGuesses(username, waitMs)
    const known = (await find()) ?? user
    const caller = isLdap
      ? await byLdap(services, view, ldap, known, login)
      : await byOwnPassword(services, view, known, login)
    if (caller !== undefined) {
      slowDown.succeeded(key)
      return caller
    }
    slowDown.failed(key)
    await notify(db, { kind: 'login_failed', key, manager: services.id })
    throw wrongCredentials(username)
  })
}

function unlessUnauthorized(error: unknown): undefined {
  if (error instanceof ApiError && error.code === 'unauthorized_error') return undefined
  throw error
}

const tooManyGuesses = (username: string, waitMs: number) => {
  const seconds = Math.ceil(waitMs / 1000)
  return new ApiError(
    'too_many_requests_error',
    `Too many wrong passwords for <User username=\`${username}\`> from this address: try again in ${seconds} s`,
    { retryAfterSeconds: seconds },
  )
}

async function byOwnPassword(
  services: AuthenticationServices,
  view: AccessView,
  user: KnownUser | undefined,
  login: Login,
): Promise<Caller | undefined> {
  const { directory, passwords } = services
  const fits = (one: KnownUser | undefined) =>
    passwords.fits(one?.passwordHash ?? undefined, login.password, login)
  const isRight = await fits(user)
  if (user === undefined) return undefined
  if (isRight && !isShut(services, user)) return entered(services, user, 'password')
  // The password, or the end of a lock, may have been set a moment ago.
  const current = view === directory.fresh ? user : await directory.fresh.user(user.username)
  const isOther = current !== undefined && current.passwordHash !== user.passwordHash
  const isRightNow = isOther ? await fits(current) : isRight
  if (current !== undefined && isRightNow && !isShut(services, current)) {
    return entered(services, current, 'password')
  }
  if (!isRightNow) await countFailure(services, current ?? user)
  return undefined
}

/** Neither the right password nor what comes while an account is locked makes the lock any longer. */
async function countFailure(services: AuthenticationServices, user: KnownUser): Promise<void> {
  if (isShut(services, user)) return
  await recordFailedLogin(services.db, user.id)
  // What comes next counts on.
  services.directory.forget()
}

const wrongCredentials = (username: string) =>
  unauthorized(
    `Authentication failed for <User username=\`${username}\`>. Wrong credentials or locked account`,
  )

/** The directory decides; the lock of the account is ours, and so is whether the user is active. */
async function byLdap(
  services: AuthenticationServices,
  view: AccessView,
  ldap: KnownLdap,
  remembered: KnownUser | undefined,
  login: Login,
): Promise<Caller | undefined> {
  const { directory, ldapLogins } = services
  // The lock may just have ended.
  const known = isShut(services, remembered) ? await directory.fresh.user(login.username) : remembered
  const name = isShut(services, known) ? undefined : await ldapLogins.enter(services, ldap, login)
  const user = name === undefined ? undefined : await view.user(name)
  if (user !== undefined) return entered(services, user, 'password')
  if (known !== undefined) await countFailure(services, known)
  return undefined
}

/** Administrators of the system are never locked, only slowed down: a stranger could keep them out for ever. */
const isShut = ({ lockout, now }: AuthenticationServices, user: KnownUser | undefined): boolean =>
  user !== undefined && !isSystemAdministrator(user) && isLocked(lockout(), user, now())

const isSystemAdministrator = ({ role, groupRoles }: KnownUser) => [role, ...groupRoles].includes('sys_admin')

async function entered(services: AuthenticationServices, user: KnownUser, by: Caller['by']): Promise<Caller> {
  const { db, directory } = services
  const caller = callerOf(user, by)
  const isDue = directory.isToBeDated(`login/${user.id}`)
  if (isDue || user.failedLogins > 0) await recordLogin(db, user.id)
  return caller
}

async function byToken(services: AuthenticationServices, view: AccessView, token: string): Promise<Caller> {
  const { db, directory, now } = services
  const [, id, secret, ...rest] = token.split('-')
  if (id === undefined || secret === undefined || rest.length > 0)
    throw unauthorized('Invalid token structure')
  const found = await view.token(id)
  if (found === undefined || !equalHex(found.secretHash, sha256(secret))) throw unauthorized('Unauthorized')
  if (found.expirationDate !== null && found.expirationDate <= now()) throw unauthorized('Token is expired')
  const remembered = await view.user(found.username)
  const user = isShut(services, remembered) ? await directory.fresh.user(found.username) : remembered
  if (isShut(services, user)) throw wrongCredentials(found.username)
  const caller = callerOf(user, 'token')
  if (directory.isToBeDated(`token/${id}`)) await recordTokenUse(db, id)
  return caller
}

async function byExecutionToken(
  { db }: AuthenticationServices,
  view: AccessView,
  token: string,
  refusal = 'Authentication failed, invalid Execution Token',
): Promise<Caller> {
  const found = await findExecutionOfToken(db, sha256(token))
  if (found === undefined) throw unauthorized(refusal)
  const { createdBy, ...execution } = found
  return callerOf(await view.user(createdBy), 'execution', execution)
}

function callerOf(user: KnownUser | undefined, by: Caller['by'], execution?: Caller['execution']): Caller {
  if (user === undefined || !user.active) throw noCredentials()
  const { id: userId, username, role, groupRoles, tenantRoles, passwordHash } = user
  return {
    userId,
    username,
    systemRole: role,
    systemRoles: [...new Set([role, ...groupRoles])],
    tenantRoles,
    by,
    passwordHash,
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
