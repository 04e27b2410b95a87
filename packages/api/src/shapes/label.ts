import { type Static, Type } from 'typebox'
import { Nullable, Shape, Timestamp } from './common.ts'

/** Who made it is told by name, as of everything else. */
export const Label = Shape('Label', {
  key: Type.String(),
  value: Type.String(),
  created_at: Timestamp,
  created_by: Nullable(Type.String()),
})
export type Label = Static<typeof Label>
