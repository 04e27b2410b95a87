/**
 * The audit log: who created, changed or deleted what, when and from where. Triggers write it
 * (docs/reference/audit.md, "Records").
 */

export { withAuditedDatabase } from './caller.ts'
export { auditHandlers } from './routes.ts'
