import { type Static, Type } from 'typebox'
import { fieldTable } from '../list/field-table.ts'
import { ownerFields, Shape, Timestamp } from './common.ts'

export const FilterRuleShape = Shape('FilterRule', {
  key: Type.String(),
  values: Type.Array(Type.String()),
  operator: Type.String(),
  type: Type.String(),
})

/** docs/reference/sites-filters-labels.md, "Filters". */
export const Filter = Shape('Filter', {
  id: Type.String(),
  value: Type.Array(FilterRuleShape),
  labels_filter_rules: Type.Array(FilterRuleShape),
  attrs_filter_rules: Type.Array(FilterRuleShape),
  is_system_filter: Type.Boolean(),
  updated_at: Timestamp,
  ...ownerFields,
})
export type Filter = Static<typeof Filter>

export const filterFields = fieldTable(Filter)
