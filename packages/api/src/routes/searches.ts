import { Type } from 'typebox'
import { Blueprint, blueprintFields } from '../shapes/blueprint.ts'
import { ListOf, WithData } from '../shapes/common.ts'
import { Deployment, deploymentFields, Workflow, workflowFields } from '../shapes/deployment.ts'
import { Node, nodeFields } from '../shapes/node.ts'
import { NodeInstance, nodeInstanceFields } from '../shapes/node-instance.ts'
import {
  DeclaredCapabilities,
  declaredCapabilityFields,
  NodeType,
  nodeTypeFields,
  ScalingGroup,
  scalingGroupFields,
} from '../shapes/search.ts'
import { SecretItem, secretItemFields } from '../shapes/secret.ts'
import { dependenciesOf } from './deployments.ts'
import { route } from './route.ts'

/** One of the two, or none for a plain list (docs/reference/searches-and-summaries.md, "Searches"). */
export const Search = Type.Object({
  filter_rules: Type.Optional(Type.Unknown()),
  constraints: Type.Optional(Type.Unknown()),
})

const search = {
  method: 'POST',
  since: 'v3.1',
  allTenants: true,
  passesOverUnknown: true,
  body: Search,
  status: 200,
} as const

/** Where to look, when the constraints do not say it. */
const within = Type.Object({
  deployment_id: Type.Optional(Type.String()),
  blueprint_id: Type.Optional(Type.String()),
})

const workflowOptions = Type.Object({ _common_only: Type.Optional(Type.Boolean()), ...dependenciesOf })

/** docs/reference/searches-and-summaries.md, "Searches". */
export const searchRoutes = {
  'searches.deployments': route({
    ...search,
    path: '/searches/deployments',
    permission: 'deployment_list',
    summary: 'Search deployments by rules about labels and attributes',
    list: deploymentFields,
    query: Type.Object({ ...dependenciesOf, ...WithData.properties }),
    response: ListOf(Deployment),
  }),
  'searches.blueprints': route({
    ...search,
    path: '/searches/blueprints',
    permission: 'blueprint_list',
    summary: 'Search blueprints by rules about labels and attributes',
    list: blueprintFields,
    response: ListOf(Blueprint),
  }),
  'searches.secrets': route({
    ...search,
    path: '/searches/secrets',
    permission: 'secret_list',
    summary: 'Search secrets by rules about their keys and providers',
    list: secretItemFields,
    response: ListOf(SecretItem),
  }),
  'searches.nodes': route({
    ...search,
    path: '/searches/nodes',
    permission: 'node_list',
    summary: 'Search the nodes of a deployment or a blueprint',
    list: nodeFields,
    query: within,
    response: ListOf(Node),
  }),
  'searches.nodeInstances': route({
    ...search,
    path: '/searches/node-instances',
    permission: 'node_instance_list',
    summary: 'Search node instances',
    list: nodeInstanceFields,
    response: ListOf(NodeInstance),
  }),
  'searches.nodeTypes': route({
    ...search,
    path: '/searches/node-types',
    permission: 'node_list',
    summary: 'Search the types of the nodes of a deployment or a blueprint',
    list: nodeTypeFields,
    query: within,
    response: ListOf(NodeType),
  }),
  'searches.scalingGroups': route({
    ...search,
    path: '/searches/scaling-groups',
    permission: 'deployment_list',
    summary: 'Search the scaling groups of a deployment or a blueprint',
    list: scalingGroupFields,
    query: within,
    response: ListOf(ScalingGroup),
  }),
  'searches.capabilities': route({
    ...search,
    path: '/searches/capabilities',
    permission: 'deployment_list',
    summary: 'Search the capabilities that a deployment or a blueprint declares',
    list: declaredCapabilityFields,
    query: within,
    response: ListOf(DeclaredCapabilities),
  }),
  'searches.workflows': route({
    ...search,
    path: '/searches/workflows',
    permission: 'deployment_list',
    summary: 'List the workflows of the deployments that a search finds',
    list: deploymentFields,
    fields: workflowFields,
    query: workflowOptions,
    response: ListOf(Workflow),
  }),
  'workflows.list': route({
    method: 'GET',
    path: '/workflows',
    since: 'v3.1',
    permission: 'deployment_list',
    allTenants: true,
    summary: 'List the workflows of the deployments that filters find',
    list: deploymentFields,
    fields: workflowFields,
    query: workflowOptions,
    response: ListOf(Workflow),
    status: 200,
  }),
} as const
