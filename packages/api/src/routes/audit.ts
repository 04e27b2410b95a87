import { Type } from 'typebox'
import { AuditRecord } from '../shapes/audit.ts'
import { ListOf } from '../shapes/common.ts'
import { route } from './route.ts'

const selection = {
  creator_name: Type.Optional(Type.String()),
  execution_id: Type.Optional(Type.String()),
}

/** docs/reference/audit.md, "Records". */
export const auditRoutes = {
  'audit.list': route({
    method: 'GET',
    path: '/audit',
    since: 'v3.1',
    permission: 'audit_log_view',
    tenant: 'none',
    reach: 'manager',
    summary: 'List who changed what, when and from where',
    query: Type.Object({
      ...selection,
      since: Type.Optional(Type.String()),
      before: Type.Optional(Type.String()),
      order_by: Type.Optional(Type.String()),
      desc: Type.Optional(Type.Boolean()),
      offset: Type.Optional(Type.Integer({ minimum: 0 })),
      size: Type.Optional(Type.Integer({ minimum: 0 })),
    }),
    response: ListOf(AuditRecord),
    status: 200,
  }),
  'audit.stream': route({
    method: 'GET',
    path: '/audit/stream',
    since: 'v3.1',
    permission: 'audit_log_view',
    tenant: 'none',
    reach: 'manager',
    summary: 'Follow the audit log: one JSON record after the other, each with an empty line behind it',
    query: Type.Object({ ...selection, since: Type.Optional(Type.String()) }),
    response: 'file',
    status: 200,
  }),
  'audit.inject': route({
    method: 'POST',
    path: '/audit',
    since: 'v3.1',
    permission: 'audit_log_inject',
    tenant: 'none',
    reach: 'manager',
    summary: 'Add records that another manager has written: the body is a list of them',
    // A list: the handler reads it.
    body: 'archive',
    response: 'empty',
    status: 204,
  }),
  'audit.truncate': route({
    method: 'DELETE',
    path: '/audit',
    since: 'v3.1',
    permission: 'audit_log_truncate',
    tenant: 'none',
    reach: 'manager',
    summary: 'Delete the records that are older than `before`',
    query: Type.Object({ ...selection, before: Type.Optional(Type.String()) }),
    response: Type.Object({ deleted: Type.Integer() }),
    status: 200,
  }),
} as const
