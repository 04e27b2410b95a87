/** Secrets: values sealed at rest, hidden or not, exported and imported (docs/reference/secrets.md). */

export type { SecretsAtHand } from './at-hand.ts'
export { transactionWithSecrets } from './elsewhere.ts'
export { exportSecrets } from './export.ts'
export { comparedSecrets, type ReadSecret, shownSecrets, usedSecrets } from './for-functions.ts'
export { importSecrets } from './import.ts'
export {
  changeSecret,
  getSecret,
  listSecrets,
  putSecret,
  removeSecret,
  setSecretVisibility,
  showWritten,
} from './service.ts'
