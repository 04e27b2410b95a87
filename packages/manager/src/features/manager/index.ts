/**
 * What the manager says of itself: its version, and the provider context that clients leave with it
 * (spec/rest-spec-b.md 4.4).
 */

export { managerHandlers } from './routes.ts'
