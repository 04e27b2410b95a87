export { agentHandlers } from './routes.ts'
