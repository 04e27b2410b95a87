import { type Static, Type } from 'typebox'
import { fieldTable } from '../list/field-table.ts'
import { Nullable, ownerFields, Shape } from './common.ts'

/** spec/rest-spec-b.md 2.13, spec/rest-facts-b.md 6. */
export const Site = Shape('Site', {
  name: Type.String(),
  /** `latitude, longitude` */
  location: Nullable(Type.String()),
  latitude: Nullable(Type.Number()),
  longitude: Nullable(Type.Number()),
  ...ownerFields,
})
export type Site = Static<typeof Site>

export const siteFields = fieldTable(Site)
