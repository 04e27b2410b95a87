/**
 * Inter-deployment dependencies: which deployment uses which, and by what in its blueprint (spec/rest-facts-a.md 10).
 */

export { dependencyHandlers } from './routes.ts'
