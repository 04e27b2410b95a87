/**
 * The audit log: who created, changed or deleted what, when and from where. Triggers write it
 * (spec/rest-facts-b.md 13).
 */

export { withAuditedDatabase } from './caller.ts'
export { auditHandlers } from './routes.ts'
