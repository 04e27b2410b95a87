/**
 * The file server: files of blueprints and deployments, for operations and consoles (docs/reference/access.md, "The
 * file server").
 */
export { authorizeResource, readResource } from './service.ts'
