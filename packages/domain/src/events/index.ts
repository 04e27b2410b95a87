/** Events and logs of executions: read by filters, recorded by whatever runs operations (docs/reference/events.md). */

export { insertSentEvents, type SentEvent } from './queries.ts'
export { parseRecord } from './record.ts'
export { createEvents, listEvents, removeEvents } from './service.ts'
