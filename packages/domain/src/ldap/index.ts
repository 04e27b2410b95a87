/**
 * Whether and how users log in through a directory; the login itself is in `authentication/ldap`
 * (docs/ldap.md).
 */

export { changeLdapSetting, hasLdap, keptLdapSettings, removeLdap, setLdap } from './service.ts'
