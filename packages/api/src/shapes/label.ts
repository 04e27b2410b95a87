import { type Static, Type } from 'typebox'
import { Nullable, Shape, Timestamp } from './common.ts'

/** spec/rest-spec-a.md 2.12; `created_by` beside the spec's `creator_id`, as spec/rest-facts-a.md 1 has it. */
export const Label = Shape('Label', {
  key: Type.String(),
  value: Type.String(),
  created_at: Timestamp,
  creator_id: Nullable(Type.Integer()),
  created_by: Nullable(Type.String()),
})
export type Label = Static<typeof Label>
