/** The license: the uploaded one or a built-in one, and nothing is ever refused for lack of another (spec/rest-facts-b.md 11). */

export { licenseHandlers } from './routes.ts'
