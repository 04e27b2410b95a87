/**
 * User groups, whose members have their roles; LDAP groups may stand behind them (docs/reference/access.md, "User
 * groups").
 */

export {
  addUserToGroup,
  createGroup,
  getGroup,
  listGroups,
  removeGroup,
  removeUserFromGroup,
  requireGroup,
  setGroupRole,
} from './service.ts'
