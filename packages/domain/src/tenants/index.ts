/** Tenants, and the users and user groups that have a role in them (docs/reference/access.md, "Tenants"). */
export {
  addMember,
  createTenant,
  getTenant,
  listTenants,
  removeMember,
  removeTenant,
  setMemberRole,
} from './service.ts'
