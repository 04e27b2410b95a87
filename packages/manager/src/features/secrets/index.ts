/** Secrets: values sealed at rest, hidden or not, exported and imported (spec/rest-facts-b.md 5). */

export { type SecretsAtHand, transactionWithSecrets } from './elsewhere.ts'
export { comparedSecrets, type ReadSecret, shownSecrets, usedSecrets } from './for-functions.ts'
export { secretHandlers } from './routes.ts'
export { listSecrets } from './service.ts'
