/**
 * Secrets providers: other systems that keep values of secrets, and how they are asked (docs/reference/secrets.md,
 * "Secrets providers").
 */

export { askingManager } from './manager.ts'
export { openProvider, readFromProvider } from './read.ts'
export {
  changeProvider,
  createProvider,
  getProvider,
  listProviders,
  removeProvider,
  requireProvider,
  testProvider,
} from './service.ts'
