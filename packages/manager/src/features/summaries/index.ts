/** Summaries: how many of a resource there are for each value of a field, or of two (spec/rest-facts-a.md 17). */

export { summaryHandlers } from './routes.ts'
