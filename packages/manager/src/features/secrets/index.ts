export { type SecretsAtHand, transactionWithSecrets } from './elsewhere.ts'
export { readSecretValue } from './read.ts'
export { secretHandlers } from './routes.ts'
export { listSecrets } from './service.ts'
