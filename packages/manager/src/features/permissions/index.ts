/**
 * Which role holds which permission: the matrix of the release with the edits of this manager
 * (spec/rest-facts-b.md 3).
 */

export { permissionHandlers } from './routes.ts'
