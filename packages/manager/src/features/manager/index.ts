export { managerHandlers } from './routes.ts'
