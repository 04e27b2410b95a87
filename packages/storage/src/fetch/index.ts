export { type FetchRules, guardedFetch } from './guarded-fetch.ts'
export { FetchRefused, type GuardedGet, guardedGet, limited } from './guarded-get.ts'
export { shownAddress, withoutCredentials } from './without-credentials.ts'
