import type { FilterRule } from './filter-rule.ts'

const label = (
  key: string,
  operator: 'any_of' | 'is_not' | 'is_null',
  ...values: readonly string[]
): FilterRule => ({
  type: 'label',
  key,
  operator,
  values,
})

/** Filters for deployments that every manager has (docs/reference/sites-filters-labels.md, "Filters"). */
export const systemFilters: Readonly<Record<string, readonly FilterRule[]>> = {
  'csys-environment-filter': [
    label('csys-obj-type', 'any_of', 'environment'),
    label('csys-obj-parent', 'is_null'),
  ],
  'csys-service-filter': [
    label('csys-obj-type', 'is_not', 'environment'),
    label('csys-obj-parent', 'is_null'),
  ],
  // A label of people and plugins, not the reserved one.
  'csys-k8s-filter': [label('obj-type', 'any_of', 'k8s')],
  'csys-terraform-filter': [label('obj-type', 'any_of', 'terraform')],
}
