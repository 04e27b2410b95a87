/**
 * Searches: lists narrowed by rules or constraints of the body, also within one deployment or blueprint
 * (spec/rest-spec-a.md 4.9).
 */

export { searchHandlers } from './routes.ts'
