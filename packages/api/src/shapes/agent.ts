import { type Static, Type } from 'typebox'
import { fieldTable } from '../list/field-table.ts'
import { Nullable, ownerFields, Shape, Timestamp } from './common.ts'

export const agentStates = [
  'creating',
  'created',
  'configuring',
  'configured',
  'starting',
  'started',
  'stopping',
  'stopped',
  'deleting',
  'deleted',
  'restarting',
  'restarted',
  'restored',
  'upgrading',
  'upgraded',
  'nonresponsive',
  'failed',
] as const

export const installMethods = ['none', 'remote', 'plugin', 'init_script', 'provided'] as const

/** docs/reference/agents.md, "Records". */
export const Agent = Shape('Agent', {
  /** Its name. */
  id: Type.String(),
  name: Type.String(),
  host_id: Type.String(),
  /** Always equal to `host_id`. */
  node_instance_id: Type.String(),
  ip: Nullable(Type.String()),
  install_method: Nullable(Type.String()),
  system: Nullable(Type.String()),
  version: Nullable(Type.String()),
  node: Type.String(),
  node_id: Type.String(),
  deployment: Type.String(),
  deployment_id: Type.String(),
  state: Type.String(),
  rabbitmq_exchange: Nullable(Type.String()),
  rabbitmq_username: Nullable(Type.String()),
  /** Of the RabbitMQ that the agent knows; Tutti itself has none. In lists only with `_get_data`. */
  rabbitmq_password: Nullable(Type.String()),
  updated_at: Nullable(Timestamp),
  ...ownerFields,
})
export type Agent = Static<typeof Agent>

export const agentFields = fieldTable(Agent, {
  extraFilters: { node_ids: 'string', node_instance_ids: 'string', install_methods: 'string' },
})
