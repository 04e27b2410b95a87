export { buildGraph } from './build-graph.ts'
export { type BuildScope, buildScope } from './build-scope.ts'
export { checkOrder } from './check-order.ts'
export type {
  Command,
  Commit,
  EmittedEvent,
  GraphOutcome,
  GraphRecord,
  NodeInstanceStateChange,
  OperationPatch,
} from './commit.ts'
export { newGraphRecord } from './commit.ts'
export { createGraph } from './create-graph.ts'
export { describedOperation } from './described-operation.ts'
export type { CancelMode, GraphEvent, HandlerAnswer } from './graph-event.ts'
export type { GraphOptions, GraphState, RerunLifecycle } from './graph-state.ts'
export { isJsonObject, type JsonObject, type JsonValue } from './json.ts'
export { lifecycleRerun } from './lifecycle/rerun.ts'
export type {
  DeploymentModel,
  ModelNode,
  ModelNodeInstance,
  ModelOperation,
  ModelPlugin,
  ModelRelationship,
  ModelRelationshipInstance,
  WorkflowSettings,
} from './model.ts'
export { defaultSettings } from './model.ts'
export type { AddedNodeInstance, NodeInstanceChange, RewiredNodeInstance } from './node-instance-change.ts'
export { changedModel, changeNodeInstances } from './node-instance-change.ts'
export type { ErrorCause, OperationError, OperationOutcome } from './operation-error.ts'
export type { OperationRecord } from './operation-record.ts'
export type { PreparedResume } from './prepare-resume.ts'
export { prepareResume } from './prepare-resume.ts'
export { pythonText } from './python-text.ts'
export type { Reduction } from './reduce.ts'
export { reduce } from './reduce.ts'
export type { GraphEnd, GraphRunner, OperationsLeft, RunControl, RunningOperations } from './run-graph.ts'
export { runGraph, Stopped } from './run-graph.ts'
export type { ActionStep, PhaseProgress } from './run-phases.ts'
export type { ExecutionStore, Runner, StoredGraph, StoredRun, WorkflowRun } from './run-workflow.ts'
export { runWorkflow } from './run-workflow.ts'
export type { GraphPlan, PlanEdge, PlanPart, Step, SubgraphStep, TaskStep } from './step.ts'
export type {
  FailureHandler,
  OperationParameters,
  OperationState,
  OperationType,
  PythonHandler,
  StoredOperation,
  SuccessHandler,
} from './stored-operation.ts'
export { countedOperations, isInFlight, isTerminated } from './stored-operation.ts'
export type { SystemPropertyChange } from './system-properties.ts'
export { cloudifyContext } from './task.ts'
export { each, finish, type Work } from './work.ts'
export type {
  ActionPhase,
  BuildInput,
  ChildrenPhase,
  GraphPhase,
  Otherwise,
  Phase,
  Workflow,
} from './workflow.ts'
export { WorkflowError } from './workflow.ts'
export type { WorkflowEnd } from './workflow-events.ts'
export { workflowEnded, workflowStarted } from './workflow-events.ts'
export {
  builtInMapping,
  builtInWorkflow,
  findBuiltInWorkflow,
  isSystemWorkflowName,
  type SystemWorkflowName,
  systemWorkflowNames,
  type WorkflowMapping,
  whyNotRun,
} from './workflows/built-in.ts'
export { buildLifecycleOf, type LifecycleOf } from './workflows/lifecycle-of.ts'
export {
  type InstanceEdges,
  type UpdateRun,
  updateActions,
  updateWorkflow,
  updateWorkflowName,
} from './workflows/update.ts'
export {
  type ReinstallReason,
  type UpdateChoice,
  type UpdateDecision,
  updateDecision,
} from './workflows/update-decision.ts'
