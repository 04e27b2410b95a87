import { type Static, Type } from 'typebox'
import { fieldTable } from '../list/field-table.ts'
import { JsonObject, Nullable, Shape, Timestamp } from './common.ts'

/** docs/reference/cluster-and-configuration.md, "Managers". */
export const ManagerNode = Shape('ManagerNode', {
  id: Type.Integer(),
  hostname: Type.String(),
  private_ip: Type.String(),
  public_ip: Type.String(),
  version: Type.String(),
  edition: Type.String(),
  distribution: Type.String(),
  distro_release: Type.String(),
  fs_sync_node_id: Nullable(Type.String()),
  networks: JsonObject,
  ca_cert_content: Nullable(Type.String()),
  last_seen: Nullable(Timestamp),
  status_report_frequency: Nullable(Type.Integer()),
})
export type ManagerNode = Static<typeof ManagerNode>

export const Broker = Shape('Broker', {
  name: Type.String(),
  host: Type.String(),
  management_host: Nullable(Type.String()),
  port: Type.Integer(),
  username: Nullable(Type.String()),
  password: Nullable(Type.String()),
  params: JsonObject,
  networks: JsonObject,
  is_external: Type.Boolean(),
  ca_cert_content: Nullable(Type.String()),
})
export type Broker = Static<typeof Broker>
export const brokerFields = fieldTable(Broker)

export const DbNode = Shape('DbNode', {
  name: Type.String(),
  host: Type.String(),
  is_external: Type.Boolean(),
})
export type DbNode = Static<typeof DbNode>
export const dbNodeFields = fieldTable(DbNode)

export const managerFields = fieldTable(ManagerNode)

const HealthName = Type.Union([Type.Literal('OK'), Type.Literal('Degraded'), Type.Literal('Fail')])
export type Health = Static<typeof HealthName>

export const NodeService = Shape('NodeService', {
  status: Type.Union([Type.Literal('Active'), Type.Literal('Inactive')]),
  extra_info: JsonObject,
})
export type NodeService = Static<typeof NodeService>

export const NodeMetric = Shape('NodeMetric', {
  last_check: Timestamp,
  healthy: Type.Boolean(),
  metric_type: Type.String(),
  metric_name: Type.String(),
})
export type NodeMetric = Static<typeof NodeMetric>

export const NodeStatus = Shape('NodeStatus', {
  status: HealthName,
  version: Nullable(Type.String()),
  public_ip: Nullable(Type.String()),
  private_ip: Nullable(Type.String()),
  services: Type.Record(Type.String(), NodeService),
  metrics: Type.Array(NodeMetric),
  failures: Type.Array(Type.String()),
})
export type NodeStatus = Static<typeof NodeStatus>

export const NodeTypeStatus = Shape('NodeTypeStatus', {
  status: HealthName,
  is_external: Type.Boolean(),
  nodes: Type.Record(Type.String(), NodeStatus),
})
export type NodeTypeStatus = Static<typeof NodeTypeStatus>

/** docs/reference/cluster-and-configuration.md, "Managers"; services is empty with `summary=true`. */
export const ClusterStatus = Shape('ClusterStatus', {
  status: HealthName,
  services: Type.Record(Type.String(), NodeTypeStatus),
})
export type ClusterStatus = Static<typeof ClusterStatus>

/**
 * v3 (docs/reference/cluster-and-configuration.md, "Cluster of v3"): `error` and `logs` only when `_include` names
 * them.
 */
export const ClusterState = Shape('ClusterState', {
  initialized: Type.Boolean(),
  consul: Type.Optional(JsonObject),
  error: Type.Optional(Nullable(Type.String())),
  logs: Type.Optional(Type.Array(JsonObject)),
})
export type ClusterState = Static<typeof ClusterState>
export const clusterStateFields = fieldTable(ClusterState)

export const ClusterNode = Shape('ClusterNode', {
  master: Type.Boolean(),
  name: Type.String(),
  host_ip: Type.String(),
  online: Type.Boolean(),
  initialized: Type.Boolean(),
  credentials: JsonObject,
})
export type ClusterNode = Static<typeof ClusterNode>
export const clusterNodeFields = fieldTable(ClusterNode)
