export { type DefaultSchedule, defaultSchedules } from './deployment/default-schedules.ts'
export { evaluatedConstraints, hasFunctionsInConstraints } from './deployment/evaluated-constraints.ts'
export { type InputNameProblems, inputNameProblems } from './deployment/input-names.ts'
export {
  createDeploymentPlan,
  type DeploymentPlanOutcome,
  type DeploymentPlanRequest,
} from './deployment/prepare.ts'
export {
  type Diagnostic,
  DslError,
  diagnosticText,
  type ErrorClass,
  type ErrorDetails,
  type Place,
} from './diagnostic.ts'
export {
  type Budget,
  BudgetExceeded,
  type Limits,
  newBudget,
  PLANNING_LIMITS,
  type PlanningLimits,
  READ_LIMITS,
} from './functions/budget.ts'
export { holdsCall, isCall } from './functions/call.ts'
export {
  choosePluginFile,
  derivedPluginYaml,
  type PluginYaml,
  readPluginYaml,
} from './imports/plugin-yaml.ts'
export { type PrefixRule, prefixRuleCandidates, typesFileOfUrl } from './imports/prefix-rules.ts'
export {
  ImportFailure,
  type ImportRequest,
  type ImportResolver,
  type ResolvedImport,
} from './imports/resolver.ts'
export { compareVersions, matchesSpecifiers, newestMatching } from './imports/version-specifier.ts'
export { withFreeIds, withFreeIdsIn } from './instances/free-ids.ts'
export { generateNodeInstances } from './instances/generate.ts'
export {
  type Modification,
  type ModificationRequest,
  type ModifiedInstance,
  type ModifiedNumber,
  modifyNodeInstances,
} from './instances/modify.ts'
export type { TopologyGroups, TopologyNode } from './instances/topology.ts'
export type { Json, JsonList, JsonObject } from './json.ts'
export { type ParseOptions, type ParseOutcome, type ParseRequest, parseBlueprint } from './parse.ts'
export { type DeploymentState, whyUnavailable } from './plan/availability.ts'
export { packagesOf, packageText } from './plan/packages.ts'
export type * from './plan/plan.ts'
export { TYPE_FILES, typeFileUrl } from './resources.ts'
export { evaluateFunctions } from './runtime/evaluate.ts'
export { evaluateCapabilities, evaluateOutputs } from './runtime/outputs.ts'
export type {
  EvaluationContext,
  EvaluationStorage,
  StoredCapability,
  StoredNode,
  StoredNodeInstance,
  SystemFact,
} from './runtime/storage.ts'
export type { ConstraintRequest } from './types/constraint-rules.ts'
export { checkConstraints } from './types/constraints.ts'
export {
  type DataConstraints,
  OBJECT_TYPES,
  type ObjectGetter,
  type ObjectQuery,
  type ObjectType,
  withObjects,
} from './types/objects.ts'
export {
  convertAndCheckParameters,
  type ParametersOutcome,
  type ParametersRequest,
} from './types/parameters.ts'
export {
  type ModifiedAttribute,
  type StoredDeployment,
  type StoredUpdateNode,
  type UpdateChanges,
  type UpdateOutcome,
  updateChanges,
} from './update/changes.ts'
export type { StoredNodePlan, StoredRelationshipPlan } from './update/node-steps.ts'
export type { EntityType, UpdateStep } from './update/step.ts'
export { deploymentUpdateSteps, modifiedEntityIds, type Updatable } from './update/steps.ts'
export { type StoredNumbers, withStoredInstances } from './update/stored-instances.ts'
