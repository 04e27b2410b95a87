/** Tenants, and the users and user groups that have a role in them (docs/reference/access.md, "Tenants"). */

export { tenantHandlers } from './routes.ts'
