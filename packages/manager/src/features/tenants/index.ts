/** Tenants, and the users and user groups that have a role in them (spec/rest-facts-b.md 4). */

export { tenantHandlers } from './routes.ts'
