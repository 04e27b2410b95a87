/**
 * Inter-deployment dependencies: which deployment uses which, and by what in its blueprint
 * (docs/reference/environments-and-dependencies.md, "Dependencies").
 */

export { dependencyHandlers } from './routes.ts'
