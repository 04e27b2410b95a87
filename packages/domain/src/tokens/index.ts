/** Tokens, which log in in place of a password; only their hashes are kept (docs/reference/access.md, "Tokens"). */
export { createToken, getToken, listTokens, removeToken } from './service.ts'
