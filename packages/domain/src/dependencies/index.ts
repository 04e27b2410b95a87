/**
 * Which deployment uses which: dependencies and labels that name another deployment, kept in step with each other
 * (docs/reference/environments-and-dependencies.md, "Dependencies").
 */

export { linkAwaiting, linkAwaitingAgain } from './awaited-queries.ts'
export {
  addDependencies,
  checkTargets,
  insertDependencies,
  type NewDependency,
  removeDependencies,
} from './change-queries.ts'
export { consumerKey, setConsumerLabels } from './consumers-queries.ts'
export { deleteDeployment } from './delete-deployment-queries.ts'
export {
  type Dependent,
  dependentLines,
  findDependents,
  publicDependentLines,
  workflowsThatStop,
} from './dependents-queries.ts'
export { type EvaluatedTargets, evaluateTargets, storeTargets } from './evaluated-targets-queries.ts'
export { parentKey, setDeploymentLabels } from './labels-queries.ts'
export { holdSource, holdTargets, seenBy } from './targets-queries.ts'
