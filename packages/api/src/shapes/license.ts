import { type Static, Type } from 'typebox'
import { fieldTable } from '../list/field-table.ts'
import { Nullable, Shape, Timestamp } from './common.ts'

/** docs/reference/cluster-and-configuration.md, "License". */
export const License = Shape('License', {
  id: Type.String(),
  /** Null in the built-in one. */
  customer_id: Nullable(Type.String()),
  expiration_date: Nullable(Timestamp),
  license_edition: Nullable(Type.String()),
  trial: Type.Boolean(),
  cloudify_version: Nullable(Type.String()),
  capabilities: Type.Array(Type.String()),
  expired: Type.Boolean(),
})
export type License = Static<typeof License>
export const licenseFields = fieldTable(License, { defaultSort: [] })
