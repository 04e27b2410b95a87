export { nodeInstanceHandlers } from './routes.ts'
export { setInstanceState } from './set-state.ts'
