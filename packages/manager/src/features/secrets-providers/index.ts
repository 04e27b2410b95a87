export { secretsProviderHandlers } from './routes.ts'
export { checkReadable, requireProvider } from './service.ts'
