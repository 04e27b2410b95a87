/**
 * Which role holds which permission: the matrix of the release with the edits of this manager
 * (docs/reference/access.md, "Permissions").
 */
export { grant, listGrants, revoke } from './service.ts'
