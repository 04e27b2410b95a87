export { withAuditedDatabase } from './caller.ts'
export { auditHandlers } from './routes.ts'
