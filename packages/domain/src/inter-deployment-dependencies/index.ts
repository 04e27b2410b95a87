/**
 * Inter-deployment dependencies, the resource: which deployment uses which, and by what in its blueprint
 * (docs/reference/environments-and-dependencies.md, "Dependencies").
 */

export {
  createDependency,
  getDependency,
  listDependencies,
  removeDependency,
  replaceDependencies,
  restoreDependencies,
} from './service.ts'
