export { resourceHandlers } from './routes.ts'
