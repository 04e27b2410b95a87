/** Tokens, which log in in place of a password; only their hashes are kept (spec/rest-facts-b.md 2). */

export { tokenHandlers } from './routes.ts'
