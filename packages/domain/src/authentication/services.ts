import type { Database } from '@tutti/storage'
import type { LdapLogins, LoginServices } from './ldap/login.ts'
import type { PasswordCheck } from './passwords.ts'
import type { SlowDown } from './slow-down.ts'

/** What is needed to find out who comes in. */
export type AuthenticationServices = LoginServices & {
  /** Of this process. */
  readonly id: string
  readonly db: Database
  readonly passwords: PasswordCheck
  readonly slowDown: SlowDown
  readonly ldapLogins: LdapLogins
}
