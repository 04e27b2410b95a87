export type { NewManager } from './queries.ts'
export { type Registration, registerManager } from './registration.ts'
export { managerHandlers } from './routes.ts'
