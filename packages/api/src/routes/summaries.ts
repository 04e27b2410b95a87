import { type TProperties, Type } from 'typebox'
import type { FieldTable } from '../list/field-table.ts'
import type { Permission } from '../permissions/matrix.ts'
import { blueprintFields } from '../shapes/blueprint.ts'
import { JsonObject, ListOf } from '../shapes/common.ts'
import { deploymentFields } from '../shapes/deployment.ts'
import { executionFields } from '../shapes/execution.ts'
import { nodeFields } from '../shapes/node.ts'
import { nodeInstanceFields } from '../shapes/node-instance.ts'
import { dependenciesOf } from './deployments.ts'
import { route } from './route.ts'

const everywhere = ['tenant_name', 'visibility'] as const

/** The fields by which each resource can be counted (docs/reference/searches-and-summaries.md, "Summaries"). */
export const summaryFields = {
  blueprints: everywhere,
  deployments: [...everywhere, 'blueprint_id', 'site_name', 'deployment_status'],
  executions: [...everywhere, 'status', 'status_display', 'blueprint_id', 'deployment_id', 'workflow_id'],
  nodes: [...everywhere, 'deployment_id'],
  node_instances: [...everywhere, 'deployment_id', 'index', 'node_id', 'state', 'host_id'],
} as const satisfies Readonly<Record<string, readonly string[]>>

export type SummarisedResource = keyof typeof summaryFields

const summary = <Resource extends SummarisedResource>(
  resource: Resource,
  permission: Permission,
  list: FieldTable,
  query: TProperties = {},
) =>
  route({
    method: 'GET',
    path: `/summary/${resource}`,
    since: 'v3.1',
    permission,
    allTenants: true,
    summary: `Count ${resource.replace('_', ' ')} by the values of a field, and of a second one within the first`,
    list,
    query: Type.Object({
      _target_field: Type.Optional(Type.String()),
      _sub_field: Type.Optional(Type.String()),
      ...query,
    }),
    response: ListOf(JsonObject),
    status: 200,
  })

/** docs/reference/searches-and-summaries.md, "Summaries". */
export const summaryRoutes = {
  'summaries.blueprints': summary('blueprints', 'blueprint_list', blueprintFields),
  'summaries.deployments': summary('deployments', 'deployment_list', deploymentFields, dependenciesOf),
  'summaries.executions': summary('executions', 'execution_list', executionFields),
  'summaries.nodes': summary('nodes', 'node_list', nodeFields),
  'summaries.nodeInstances': summary('node_instances', 'node_instance_list', nodeInstanceFields),
} as const
