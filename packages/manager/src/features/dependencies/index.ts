export { dependencyHandlers } from './routes.ts'
