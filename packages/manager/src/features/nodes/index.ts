export { nodeResource } from './queries.ts'
export { nodeHandlers } from './routes.ts'
