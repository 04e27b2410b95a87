/**
 * The audit log: who created, changed or deleted what, when and from where. Triggers write it
 * (docs/reference/audit.md, "Records").
 */
export { followAudit, injectAudit, listAudit, truncateAudit } from './service.ts'
