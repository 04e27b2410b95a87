export { askingManager } from './manager.ts'
export { openProvider, readFromProvider } from './read.ts'
export { secretsProviderHandlers } from './routes.ts'
export { requireProvider } from './service.ts'
