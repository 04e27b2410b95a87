/**
 * Whether and how users log in through a directory; the login itself is in `authentication/ldap`
 * (spec/rest-facts-b.md 2).
 */

export { ldapHandlers } from './routes.ts'
export { changeLdapSetting, keptLdapSettings } from './service.ts'
