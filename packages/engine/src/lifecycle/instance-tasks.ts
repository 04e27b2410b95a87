import { type BuildScope, relationshipsOf } from '../build-scope.ts'
import type { JsonObject } from '../json.ts'
import type { ModelNodeInstance } from '../model.ts'
import { nodeOperation, type RelationshipSide, relationshipOperation } from '../operation-step.ts'
import { isEmpty, parallel, type Step, sequence, type TaskStep } from '../step.ts'

export const nothing: Step = sequence()

export function setState(instance: ModelNodeInstance, state: string): TaskStep {
  const name = 'SetNodeInstanceStateTask'
  return { kind: 'task', type: name, name, info: state, taskKwargs: { node_instance_id: instance.id, state } }
}

/** What the last check of an instance's status says from now on, with the time at which this is done. */
export function setStatus(instance: ModelNodeInstance, status: JsonObject): TaskStep {
  const name = 'SetNodeInstanceStatusTask'
  const taskKwargs = { node_instance_id: instance.id, status }
  return { kind: 'task', type: name, name, taskKwargs }
}

export function sendEvent(instance: ModelNodeInstance, event: string): TaskStep {
  const name = 'SendNodeEventTask'
  return {
    kind: 'task',
    type: name,
    name,
    info: event,
    taskKwargs: { node_instance_id: instance.id, event, additional_context: null },
  }
}

export function stateWithEvent(instance: ModelNodeInstance, state: string, event: string): Step {
  return parallel(setState(instance, state), sendEvent(instance, event))
}

/** `lifecycle.create` for `cloudify.interfaces.lifecycle.create`. */
export function operation(
  scope: BuildScope,
  instance: ModelNodeInstance,
  shortName: string,
): TaskStep | null {
  return nodeOperation(scope, instance, `cloudify.interfaces.${shortName}`)
}

/** The operation between what comes before and after it; nothing at all where it is not implemented. */
export function around(before: Step, task: Step | null, after: Step = nothing): Step | null {
  return task === null ? null : sequence(before, task, after)
}

/**
 * An operation of all relationships of an instance, one relationship after another, within a subgraph
 * (docs/reference/workflows.md, "Relationships"). `toTargets` leaves out relationships to other instances.
 */
export function relationshipOperations(
  scope: BuildScope,
  instance: ModelNodeInstance,
  name: 'preconfigure' | 'postconfigure' | 'establish' | 'unlink' | 'check_drift',
  toTargets?: ReadonlySet<string>,
  /** How each relationship's operations differ from plain ones. */
  changed: (step: TaskStep, side: RelationshipSide) => TaskStep = (step) => step,
): Step | null {
  const relationships = relationshipsOf(scope, instance).filter(
    (relationship) => toTargets === undefined || toTargets.has(relationship.instance.target_id),
  )
  const inOrder = name === 'unlink' ? relationships.toReversed() : relationships
  const fullName = `cloudify.interfaces.relationship_lifecycle.${name}`
  const step: Step = {
    kind: 'subgraph',
    name: `${name}_subgraph`,
    steps: inOrder.map((relationship) =>
      relationshipOperation(scope, instance, relationship, fullName, changed),
    ),
  }
  return isEmpty(step) ? null : step
}
