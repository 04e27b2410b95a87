/** Secrets providers: other systems that keep values of secrets, and how they are asked (spec/rest-facts-b.md 5). */

export { askingManager } from './manager.ts'
export { openProvider, readFromProvider } from './read.ts'
export { secretsProviderHandlers } from './routes.ts'
export { requireProvider } from './service.ts'
