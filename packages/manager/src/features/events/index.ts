/** Events and logs of executions: read by filters, recorded by whatever runs operations (spec/rest-facts-a.md 16). */

export { insertSentEvents, type SentEvent } from './queries.ts'
export { eventHandlers } from './routes.ts'
