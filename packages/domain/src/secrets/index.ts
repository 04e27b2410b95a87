/** Secrets: values sealed at rest, hidden or not, exported and imported (docs/reference/secrets.md). */

export { exportSecrets } from './export.ts'
export { comparedSecrets, type ReadSecret, shownSecrets, usedSecrets } from './for-functions.ts'
export { importSecrets } from './import.ts'
export type { ProviderAnswers } from './provider-answers.ts'
export {
  changeSecret,
  getSecret,
  listSecrets,
  putSecret,
  removeSecret,
  setSecretVisibility,
  showWritten,
} from './service.ts'
export { transactionWithSecrets } from './transaction-with-secrets.ts'
