export { ldapHandlers } from './routes.ts'
export { changeLdapSetting, keptLdapSettings } from './service.ts'
