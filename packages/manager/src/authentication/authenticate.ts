import { createHash, timingSafeEqual } from 'node:crypto'
import { unauthorized } from '@tutti/api'
import { bootstrapAdmin } from '../bootstrap/first.ts'
import type { Services } from '../services.ts'
import type { Credentials } from './credentials.ts'
import type { AccessView, KnownLdap, KnownUser } from './directory.ts'
import { isUsername } from './ldap/login.ts'
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
  execution: undefined,
}

export const noCredentials = () => unauthorized('No authentication info provided')

/** @throws unauthorized_error with the texts of spec/rest-facts-b.md 2 */
export async function authenticate(
  services: Services,
  view: AccessView,
  credentials: Credentials,
  /** What is asked for outlives the request: a token. */
  isLasting: boolean,
): Promise<Caller> {
  switch (credentials.kind) {
    case 'execution-token':
      return byExecutionToken(services, view, credentials.token)
    case 'basic':
      return byPassword(services, view, { ...credentials, isLasting })
    case 'token':
      return credentials.token.startsWith('ctok-')
        ? byToken(services, view, credentials.token)
        : byExecutionToken(services, view, credentials.token, 'Invalid token structure')
    case 'none':
      throw noCredentials()
  }
}

type Login = Extract<Credentials, { kind: 'basic' }> & { readonly isLasting: boolean }

async function byPassword(services: Services, view: AccessView, login: Login) {
  const { username, password } = login
  const ldap = await view.ldap()
  // In the directory names may be what they cannot be here.
  const user = ldap === undefined || isUsername(username) ? await view.user(username) : undefined
  if (ldap !== undefined && user?.id !== bootstrapAdmin.id) return byLdap(services, view, ldap, user, login)
  if (user === undefined) return authenticate(services, view, login.otherwise, login.isLasting)
  if (services.lockout().periodMinutes <= 0) return byOwnPassword(services, view, user, password)
  return services.passwords.inTurn(user.id, async () =>
    byOwnPassword(services, view, (await view.user(username)) ?? user, password),
  )
}

async function byOwnPassword(services: Services, view: AccessView, user: KnownUser, password: string) {
  const { db, directory } = services
  if (await mayEnter(services, user, password)) return entered(services, user)
  // The password, or the end of a lock, may have been set a moment ago.
  const current = view === directory.fresh ? undefined : await directory.fresh.user(user.username)
  const isOther = current?.passwordHash !== user.passwordHash || current?.failedLogins !== user.failedLogins
  if (current !== undefined && isOther && (await mayEnter(services, current, password))) {
    return entered(services, current)
  }
  await recordFailedLogin(db, user.id)
  // What comes next counts on.
  directory.forget()
  throw wrongCredentials(user.username)
}

const wrongCredentials = (username: string) =>
  unauthorized(
    `Authentication failed for <User username=\`${username}\`>. Wrong credentials or locked account`,
  )

/** The directory decides; the lock of the account is ours, and so is whether the user is active. */
async function byLdap(
  services: Services,
  view: AccessView,
  ldap: KnownLdap,
  remembered: KnownUser | undefined,
  login: Login,
) {
  const { db, directory, ldapLogins } = services
  // The lock may just have ended.
  const known = isShut(services, remembered) ? await directory.fresh.user(login.username) : remembered
  const name = isShut(services, known) ? undefined : await ldapLogins.enter(services, ldap, login)
  const user = name === undefined ? undefined : await view.user(name)
  if (user !== undefined) return entered(services, user)
  if (known !== undefined) await recordFailedLogin(db, known.id)
  throw wrongCredentials(known?.username ?? login.username)
}

const isShut = ({ lockout, now }: Services, user: KnownUser | undefined): boolean =>
  user !== undefined && isLocked(lockout(), user, now())

async function mayEnter(services: Services, user: KnownUser, password: string) {
  if (user.passwordHash === null || isShut(services, user)) return false
  return services.passwords.fits(user.passwordHash, password)
}

async function entered({ db, directory }: Services, user: KnownUser): Promise<Caller> {
  const caller = callerOf(user)
  const isDue = directory.isToBeDated(`login/${user.id}`)
  if (isDue || user.failedLogins > 0) await recordLogin(db, user.id)
  return caller
}

async function byToken(services: Services, view: AccessView, token: string): Promise<Caller> {
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
  const caller = callerOf(user)
  if (directory.isToBeDated(`token/${id}`)) await recordTokenUse(db, id)
  return caller
}

async function byExecutionToken(
  { db }: Services,
  view: AccessView,
  token: string,
  refusal = 'Authentication failed, invalid Execution Token',
): Promise<Caller> {
  const found = await findExecutionOfToken(db, sha256(token))
  if (found === undefined) throw unauthorized(refusal)
  const { createdBy, ...execution } = found
  return callerOf(await view.user(createdBy), execution)
}

function callerOf(user: KnownUser | undefined, execution?: Caller['execution']): Caller {
  if (user === undefined || !user.active) throw noCredentials()
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
