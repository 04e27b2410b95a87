/**
 * Whether and how users log in through a directory; the login itself is in `authentication/ldap`
 * (docs/ldap.md).
 */

export { ldapHandlers } from './routes.ts'
export { changeLdapSetting, keptLdapSettings } from './service.ts'
