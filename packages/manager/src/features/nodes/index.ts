export { nodeHandlers } from './routes.ts'
