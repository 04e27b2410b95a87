/** User groups, whose members have their roles; LDAP groups may stand behind them (spec/rest-facts-b.md 4). */

export { userGroupHandlers } from './routes.ts'
export { requireGroup } from './service.ts'
