import { planDeploymentSettings } from '../elements/deployment-settings.ts'
import { planGroups } from '../elements/group.ts'
import { planInputs } from '../elements/input.ts'
import { planLabels } from '../elements/label.ts'
import { readNodeTemplates } from '../elements/node-template.ts'
import { checkAll, nodeTypesOf } from '../elements/node-type.ts'
import { planOutputs } from '../elements/output.ts'
import { pluginsOf } from '../elements/plugin.ts'
import { planPolicies, scalingGroupsOf } from '../elements/policy.ts'
import { planPolicyTypes, policyTypesOf } from '../elements/policy-type.ts'
import { planRelationshipTypes, relationshipTypesOf } from '../elements/relationship-type.ts'
import { checkedScalingGroups } from '../elements/scaling-group.ts'
import { planWorkflows, workflowPlugins } from '../elements/workflow.ts'
import { type JsonObject, mapValues } from '../json.ts'
import type { Build } from '../language/build.ts'
import { attempt } from '../language/build.ts'
import { dataTypesOf, planDataTypes } from '../types/data-type.ts'
import { given, givenText, toJson } from '../yaml/node.ts'
import { planNodes } from './nodes.ts'
import type { Plan, PlanNode, PlanPlugin, PlanVersion } from './plan.ts'

/**
 * A plan from a document whose shape is right (docs/reference/plan.md, "The plan"). What is wrong is collected in
 * `build.problems`.
 */
export function buildPlan(build: Build, version: PlanVersion): Plan {
  const dataTypes = dataTypesOf(build)
  const data_types = planDataTypes(build, dataTypes)
  const plugins = pluginsOf(build, dataTypes)
  checkAll(build, plugins)
  const nodeTypes = nodeTypesOf(build, dataTypes)
  checkAll(build, nodeTypes)
  const relationshipTypes = relationshipTypesOf(build, dataTypes, plugins)
  const relationships = planRelationshipTypes(build, relationshipTypes)
  const templates = readNodeTemplates(build, { dataTypes, nodeTypes, relationshipTypes })
  const nodes = planNodes(build, templates, plugins)
  const policyTypes = policyTypesOf(build, dataTypes, 'policy_types')
  const policyTriggers = policyTypesOf(build, dataTypes, 'policy_triggers')
  const groups = planGroups(build, { dataTypes, policyTypes, policyTriggers })
  const policies = planPolicies(build)
  const workflows = planWorkflows(build, dataTypes, plugins)
  return {
    description: givenText(build.document, 'description') ?? null,
    metadata: json(build, 'metadata'),
    version,
    inputs: planInputs(build, dataTypes),
    nodes,
    relationships,
    workflows,
    data_types,
    policy_types: mapValues(planPolicyTypes(build, policyTypes), ({ schema, rest }) => ({
      properties: schema,
      ...rest,
    })),
    policy_triggers: mapValues(planPolicyTypes(build, policyTriggers), ({ schema, rest }) => ({
      parameters: schema,
      ...rest,
    })),
    groups,
    policies,
    scaling_groups: checkedScalingGroups(build, scalingGroupsOf(policies, groups), templates),
    outputs: planOutputs(build, 'outputs'),
    capabilities: planOutputs(build, 'capabilities'),
    labels: planLabels(build, 'labels'),
    blueprint_labels: planLabels(build, 'blueprint_labels'),
    resource_tags: json(build, 'resource_tags') ?? {},
    deployment_settings: planDeploymentSettings(build),
    deployment_plugins_to_install: unionByName(nodes, (node) => node.deployment_plugins_to_install),
    host_agent_plugins_to_install: unionByName(nodes, (node) => node.plugins_to_install ?? []),
    workflow_plugins_to_install: attempt(build, () => workflowPlugins(workflows, plugins)) ?? [],
    imported_blueprints: (json(build, 'imported_blueprints') ?? []) as unknown as readonly string[],
    namespaces_mapping: (json(build, 'namespaces_mapping') ?? {}) as { readonly [name: string]: string },
    requirements: { parent_capabilities: [], secrets: [] },
  }
}

function json(build: Build, section: string): JsonObject | null {
  const node = given(build.document, section)
  return node === undefined ? null : attempt(build, () => toJson(node, build.conversion) as JsonObject)
}

/** One plugin for each name, the last wins. */
function unionByName(
  nodes: readonly PlanNode[],
  list: (node: PlanNode) => readonly PlanPlugin[],
): readonly PlanPlugin[] {
  const byName = new Map<string, PlanPlugin>()
  for (const node of nodes) for (const plugin of list(node)) byName.set(plugin.name, plugin)
  return [...byName.values()]
}
