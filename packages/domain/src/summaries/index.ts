/**
 * Summaries: how many of a resource there are for each value of a field, or of two
 * (docs/reference/searches-and-summaries.md, "Summaries").
 */
export { type SummaryOptions, summaryOf } from './service.ts'
