/**
 * Stored filters: rules about labels and attributes under a name, for lists and searches (spec/rest-facts-a.md 6).
 */

export { filterHandlers } from './routes.ts'
export { rulesOf } from './service.ts'
