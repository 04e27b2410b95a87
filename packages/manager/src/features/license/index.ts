/** The license: stored and shown, and nothing is ever refused for lack of one (spec/rest-facts-b.md 11). */

export { licenseHandlers } from './routes.ts'
