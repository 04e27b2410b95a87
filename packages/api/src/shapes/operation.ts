import { type Static, Type } from 'typebox'
import { fieldTable } from '../list/field-table.ts'
import { JsonObject, Nullable, ownerFields, Shape } from './common.ts'

/** In the order that an operation goes through them (docs/reference/operations-resource.md, "Operations"). */
export const operationStates = [
  'pending',
  'sending',
  'sent',
  'started',
  'response-sent',
  'succeeded',
  'failed',
  'rescheduled',
] as const
export type OperationState = (typeof operationStates)[number]

/** A stored task of a tasks graph (docs/reference/operations-resource.md, "Operations"). */
export const Operation = Shape('Operation', {
  id: Type.String(),
  name: Type.String(),
  state: Type.String(),
  type: Type.String(),
  dependencies: Type.Array(Type.String()),
  parameters: JsonObject,
  tasks_graph_id: Type.String(),
  /** The same, under the name that the specification has for it. */
  tasks_graph: Type.String(),
  manager_name: Nullable(Type.String()),
  agent_name: Nullable(Type.String()),
  ...ownerFields,
})
export type Operation = Static<typeof Operation>

export const operationFields = fieldTable(Operation)

/** docs/reference/operations-resource.md. */
export const TasksGraph = Shape('TasksGraph', {
  id: Type.String(),
  name: Type.String(),
  execution_id: Type.String(),
  ...ownerFields,
})
export type TasksGraph = Static<typeof TasksGraph>

export const tasksGraphFields = fieldTable(TasksGraph)
