import { pickIncluded } from '@tutti/api'
import { unfilteredAnswer } from '@tutti/domain'
import { listBlueprints } from '@tutti/domain/blueprints'
import { listDeployments, listWorkflows } from '@tutti/domain/deployments'
import { listNodeInstances } from '@tutti/domain/node-instances'
import { nodeResource } from '@tutti/domain/nodes'
import {
  askedFor,
  capabilities,
  capabilityValues,
  fittingCapabilities,
  nodeTypes,
  plannedNodes,
  rulesFor,
  scalingGroups,
  searchWithin,
} from '@tutti/domain/searches'
import { listSecrets } from '@tutti/domain/secrets'
import type { Handlers } from '../../request.ts'

/** docs/reference/searches-and-summaries.md, "Searches" */
export const searchHandlers = {
  async 'searches.deployments'(request) {
    const rules = await rulesFor(request, 'deployments', request.list, request.body)
    return listDeployments(request, request.list, request.options, rules)
  },

  async 'searches.blueprints'(request) {
    const rules = await rulesFor(request, 'blueprints', request.list, request.body)
    return listBlueprints(request, request.list, rules)
  },

  async 'searches.secrets'(request) {
    const { rules } = askedFor('secrets', request.body)
    return listSecrets(request, request.list, rules)
  },

  async 'searches.nodeInstances'(request) {
    const { rules, deploymentId } = askedFor('node_instances', request.body)
    const { list } = request
    const filters =
      deploymentId === undefined
        ? list.filters
        : [...list.filters, { field: 'deployment_id', values: [deploymentId] }]
    return listNodeInstances(request, { ...list, filters }, rules)
  },

  async 'searches.nodes'(request) {
    const sources = { deployment: nodeResource, blueprint: plannedNodes, permission: 'node_list' } as const
    return searchWithin(request, 'nodes', request.list, request.body, request.options, sources)
  },

  async 'searches.nodeTypes'(request) {
    const sources = { ...nodeTypes, permission: 'node_list' } as const
    return searchWithin(request, 'node_types', request.list, request.body, request.options, sources)
  },

  async 'searches.scalingGroups'(request) {
    const sources = { ...scalingGroups, permission: 'deployment_list' } as const
    return searchWithin(request, 'scaling_groups', request.list, request.body, request.options, sources)
  },

  async 'searches.capabilities'(request) {
    const sources = { ...capabilities, permission: 'deployment_list' } as const
    const query = { ...request.list, include: undefined }
    const found = await searchWithin(request, 'capabilities', query, request.body, request.options, sources)
    const { rules } = askedFor('capabilities', request.body)
    const fitting = async (item: Readonly<Record<string, unknown>>) => {
      const capabilities = fittingCapabilities(await capabilityValues(request, item), rules)
      return pickIncluded({ ...item, capabilities }, request.list.include)
    }
    return found.mapBatches((batch) => Promise.all(batch.map(fitting)))
  },

  async 'searches.workflows'(request) {
    const rules = await rulesFor(request, 'deployments', request.list, request.body)
    return unfilteredAnswer(request.list, await listWorkflows(request, request.list, request.options, rules))
  },

  async 'workflows.list'(request) {
    const rules = await rulesFor(request, 'deployments', request.list, {})
    return unfilteredAnswer(request.list, await listWorkflows(request, request.list, request.options, rules))
  },
} satisfies Partial<Handlers>
