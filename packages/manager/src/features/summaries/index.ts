/**
 * Summaries: how many of a resource there are for each value of a field, or of two
 * (docs/reference/searches-and-summaries.md, "Summaries").
 */

export { summaryHandlers } from './routes.ts'
