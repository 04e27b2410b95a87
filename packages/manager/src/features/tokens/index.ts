export { tokenHandlers } from './routes.ts'
