import { type Static, Type } from 'typebox'
import { fieldTable } from '../list/field-table.ts'
import { Nullable, ownerFields, Shape } from './common.ts'

/** docs/reference/sites-filters-labels.md, "Sites". */
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
