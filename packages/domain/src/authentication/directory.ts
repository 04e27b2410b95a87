import type { PermissionTable } from '@tutti/api'
import type { Database, Notification } from '@tutti/storage'
import { loadLdap } from './ldap/queries.ts'
import { loadPermissions, loadTenants, loadToken, loadUser } from './queries.ts'

/** A user with every role, as the rights of a request are computed from. */
export type KnownUser = NonNullable<Awaited<ReturnType<typeof loadUser>>>
export type KnownToken = NonNullable<Awaited<ReturnType<typeof loadToken>>>
export type KnownLdap = NonNullable<Awaited<ReturnType<typeof loadLdap>>>
export type KnownTenants = Awaited<ReturnType<typeof loadTenants>>

/** Who is who and may do what, either as remembered or asked of the database now. */
export type AccessView = {
  /** By name, in whatever case. */
  user(username: string): Promise<KnownUser | undefined>
  token(id: string): Promise<KnownToken | undefined>
  tenants(): Promise<KnownTenants>
  permissions(): Promise<PermissionTable>
  /** Undefined: users log in with passwords of this manager. */
  ldap(): Promise<KnownLdap | undefined>
}

/**
 * The rights of users, kept in memory so that a request costs no query for them.
 *
 * Triggers of the database tell every manager of every change, and all is forgotten then; so it is while notifications
 * cannot arrive. Should their connection be dead without anybody noticing, `maxAgeMs` bounds how long a right that was
 * taken away lives on. A refusal is never answered from memory: the pipeline asks `fresh` before it refuses.
 *
 * `watch` (`storage/src/shared`) keeps what everything needs at any moment and of which an old value is better than none.
 * Rights are the other way round: read by key when somebody comes, and forgotten rather than kept while in doubt. One
 * mechanism for both would be two with a switch.
 */
export type Directory = {
  readonly remembered: AccessView
  readonly fresh: AccessView
  /** After a change by this process, whose own notification is still on its way. */
  forget(): void
  onNotification(notification: Notification): void
  /** Nothing is remembered until notifications arrive. */
  onListening(isListening: boolean): void
  /** Whether the use of this (a login, a token) is to be dated: once a minute, not with every request. */
  isToBeDated(key: string): boolean
}

const maxAgeMs = 30_000
const maxEntries = 10_000
const datingMs = 60_000

export function createDirectory(db: Database): Directory {
  let isTrusted = false
  const memories: { clear(): void }[] = []

  const remember = <Value>(load: (key: string) => Promise<Value>) => {
    const known = new Map<string, { readonly value: Promise<Value>; readonly atMs: number }>()
    memories.push(known)
    return async (key: string): Promise<Value> => {
      const found = known.get(key)
      if (found !== undefined && performance.now() - found.atMs < maxAgeMs) return found.value
      if (!isTrusted) return load(key)
      if (known.size >= maxEntries) known.clear()
      // In the map before it is there: what is forgotten meanwhile takes this with it.
      const entry = { value: load(key), atMs: performance.now() }
      known.set(key, entry)
      const drop = () => {
        if (known.get(key) === entry) known.delete(key)
      }
      entry.value.then((value) => {
        if (value === undefined) drop()
      }, drop)
      return entry.value
    }
  }

  const user = remember((name) => loadUser(db, name))
  const token = remember((id) => loadToken(db, id))
  const tenants = remember(() => loadTenants(db))
  const permissions = remember(() => loadPermissions(db))
  // "None" is worth remembering too.
  const ldap = remember(async () => ({ settings: await loadLdap(db) }))
  const forget = () => {
    for (const memory of memories) memory.clear()
  }
  const dated = new Map<string, number>()

  return {
    remembered: {
      user: (username) => user(username.toLowerCase()),
      token,
      tenants: () => tenants(''),
      permissions: () => permissions(''),
      ldap: async () => (await ldap('')).settings,
    },
    fresh: {
      user: (username) => loadUser(db, username),
      token: (id) => loadToken(db, id),
      tenants: () => loadTenants(db),
      permissions: () => loadPermissions(db),
      ldap: () => loadLdap(db),
    },
    forget,
    onNotification({ kind }) {
      if (kind === 'access_changed') forget()
    },
    onListening(isListening) {
      isTrusted = isListening
      forget()
    },
    isToBeDated(key) {
      const now = performance.now()
      const last = dated.get(key)
      if (last !== undefined && now - last < datingMs) return false
      if (dated.size >= maxEntries) dated.clear()
      dated.set(key, now)
      return true
    },
  }
}
