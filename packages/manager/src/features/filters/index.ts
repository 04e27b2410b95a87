/**
 * Stored filters: rules about labels and attributes under a name, for lists and searches
 * (docs/reference/sites-filters-labels.md, "Filters").
 */

export { filterHandlers } from './routes.ts'
export { rulesOf } from './service.ts'
