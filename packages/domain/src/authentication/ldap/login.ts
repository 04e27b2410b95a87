import { hash as digest, randomBytes } from 'node:crypto'
import { ApiError } from '@tutti/api'
import type { AddressRules, OpenDatabase } from '@tutti/storage'
import type { KeyRing } from '../../encryption/index.ts'
import type { Directory, KnownLdap } from '../directory.ts'
import { isLocked, type Lockout } from '../lockout.ts'
import { LdapAway, type LdapReach } from './connection.ts'
import { findPerson } from './find-person.ts'
import { planOf } from './plan.ts'
import { type StoredUser, storePerson } from './queries.ts'

/** What a login by the directory needs. */
export type LoginServices = {
  /** For changes that are not those of whoever acts. */
  readonly database: Pick<OpenDatabase, 'as'>
  readonly directory: Directory
  readonly keys: KeyRing
  readonly lockout: () => Lockout
  readonly now: () => Date
  readonly log: { warn(fields: object, message: string): void }
  readonly settings: {
    readonly allowedHosts: readonly string[]
    readonly allowPrivateAddresses: boolean
    /** Whether the LDAP server may be there, even where archives may not. */
    readonly allowPrivateLdap: boolean
  }
}

export type LdapLogins = {
  /** How long one login may take, the answers of the directory included. */
  readonly timeoutMs: number
  /**
   * The name of the local user that fits, who is up to date then; undefined when nobody fits.
   *
   * A login that went well counts for `rememberedMs`, so that clients that authenticate with every request do not ask
   * the directory every time; what changes there (a password, a group, an account that is shut) is seen after that at
   * the latest. `isLasting` asks the directory in any case: for a token, which outlives the moment.
   *
   * @throws not_running_ldap_server
   */
  enter(
    services: LoginServices,
    ldap: KnownLdap,
    login: { readonly username: string; readonly password: string; readonly isLasting: boolean },
  ): Promise<string | undefined>
}

/** As long as a burst of requests by one command or one page of the console takes. */
const rememberedMs = 15_000
const rememberedMax = 10_000

export function createLdapLogins(timeoutMs = 10_000): LdapLogins {
  const key = randomBytes(32).toString('base64')
  const remembered = new Map<string, { readonly name: Promise<string | undefined>; readonly atMs: number }>()
  return {
    timeoutMs,
    async enter(services, ldap, { username, password, isLasting }) {
      const atMs = services.now().getTime()
      // With the time of the settings: others begin anew.
      const id = digest(
        'sha256',
        JSON.stringify([key, ldap.updatedAt, username.toLowerCase(), password]),
        'base64',
      )
      const known = remembered.get(id)
      if (known !== undefined && !isLasting && atMs - known.atMs < rememberedMs) return known.name
      if (remembered.size >= rememberedMax) remembered.clear()
      // There before it is answered: requests that come together ask once.
      const entry = { name: login(services, ldap, { username, password, timeoutMs }), atMs }
      remembered.set(id, entry)
      const forget = () => {
        if (remembered.get(id) === entry) remembered.delete(id)
      }
      entry.name.then((name) => {
        if (name === undefined) forget()
      }, forget)
      return entry.name
    },
  }
}

async function login(
  services: LoginServices,
  ldap: KnownLdap,
  login: { readonly username: string; readonly password: string; readonly timeoutMs: number },
) {
  const { database, directory, lockout, keys, log, now } = services
  try {
    const secret = ldap.sealedPassword === null ? undefined : keys.open(ldap.sealedPassword)
    const person = await findPerson(
      planOf(ldap.settings, secret),
      reachOf(services, login.timeoutMs),
      login.username,
      login.password,
    )
    if (person === undefined) return undefined
    if (!isUsername(person.username)) {
      log.warn(
        { username: person.username },
        'a user of the LDAP directory has a name that cannot be one here',
      )
      return undefined
    }
    const mayEnter = (user: StoredUser) => !isLocked(lockout(), user, now())
    // The audit log says that they came by logging in.
    const own = database.as({ username: person.username, executionId: undefined, address: undefined })
    const stored = await storePerson(own, person, mayEnter)
    if (stored?.isChanged) directory.forget()
    return stored?.username
  } catch (error) {
    if (!(error instanceof LdapAway)) throw error
    log.warn({ reason: error.message }, 'the LDAP server cannot be asked who a user is')
    throw new ApiError(
      'not_running_ldap_server',
      'The LDAP server does not answer, so users cannot log in now',
      {
        hint: 'The log of the manager says why. The user admin is local and can log in',
      },
    )
  }
}

/** What names of users consist of. */
export const isUsername = (name: string): boolean => /^[a-z][\w.~-]{0,255}$/i.test(name)

/** The directory may be where archives may not: most are in the private network of the manager. */
export function reachOf({ settings }: Pick<LoginServices, 'settings'>, timeoutMs: number): LdapReach {
  const rules: AddressRules = {
    allowedHosts: settings.allowedHosts,
    allowPrivateAddresses: settings.allowPrivateAddresses || settings.allowPrivateLdap,
    privateSetting: 'TUTTI_ALLOW_PRIVATE_LDAP',
  }
  return { rules, timeoutMs }
}
