/**
 * User groups, whose members have their roles; LDAP groups may stand behind them (docs/reference/access.md, "User
 * groups").
 */

export { userGroupHandlers } from './routes.ts'
export { requireGroup } from './service.ts'
