/**
 * Searches: lists narrowed by rules or constraints of the body, also within one deployment or blueprint
 * (docs/reference/searches-and-summaries.md, "Searches").
 */

export { searchHandlers } from './routes.ts'
