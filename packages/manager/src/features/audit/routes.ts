import type { Handlers } from '../../request.ts'
import { injectAudit, listAudit, streamAudit, truncateAudit } from './service.ts'

/** docs/reference/audit.md, "Records" */
export const auditHandlers = {
  'audit.list': (request) => listAudit(request, request.options),
  'audit.stream': (request) => streamAudit(request, request.options),
  'audit.inject': (request) => injectAudit(request),
  'audit.truncate': (request) => truncateAudit(request, request.options),
} satisfies Partial<Handlers>
