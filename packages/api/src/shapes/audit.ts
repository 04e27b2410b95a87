import { type Static, Type } from 'typebox'
import { JsonObject, Shape } from './common.ts'

/** One change (docs/reference/audit.md, "Records"); keys without a value are left out. */
export const AuditRecord = Shape('AuditRecord', {
  id: Type.Integer(),
  ref_table: Type.String(),
  ref_id: Type.Optional(Type.Integer()),
  ref_identifier: Type.Optional(JsonObject),
  operation: Type.Union([Type.Literal('create'), Type.Literal('update'), Type.Literal('delete')]),
  creator_name: Type.Optional(Type.String()),
  execution_id: Type.Optional(Type.String()),
  /** Where the request came from. */
  remote_address: Type.Optional(Type.String()),
  /** Without a time zone: UTC. */
  created_at: Type.String(),
})
export type AuditRecord = Static<typeof AuditRecord>
