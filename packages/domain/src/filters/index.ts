/**
 * Stored filters: rules about labels and attributes under a name, for lists and searches
 * (docs/reference/sites-filters-labels.md, "Filters").
 */

export { changeFilter, createFilter, getFilter, listFilters, removeFilter, rulesOf } from './service.ts'
