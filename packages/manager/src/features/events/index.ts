export { insertSentEvents, type SentEvent } from './queries.ts'
export { eventHandlers } from './routes.ts'
