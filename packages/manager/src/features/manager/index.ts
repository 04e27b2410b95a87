/**
 * What the manager says of itself: its version, the provider context that clients leave with it, and to other servers
 * whether a request may see the monitoring (spec/rest-spec-b.md 4.4, spec/rest-facts-b.md 11).
 */

export { managerHandlers } from './routes.ts'
