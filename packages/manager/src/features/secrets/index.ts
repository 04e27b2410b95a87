/** Secrets: values sealed at rest, hidden or not, exported and imported (docs/reference/secrets.md). */

export { type SecretsAtHand, transactionWithSecrets } from './elsewhere.ts'
export { comparedSecrets, type ReadSecret, shownSecrets, usedSecrets } from './for-functions.ts'
export { secretHandlers } from './routes.ts'
export { listSecrets } from './service.ts'
