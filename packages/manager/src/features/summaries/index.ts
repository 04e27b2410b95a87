export { summaryHandlers } from './routes.ts'
