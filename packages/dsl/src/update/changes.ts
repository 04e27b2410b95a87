import { type ModifiedInstance, modifyNodeInstances } from '../instances/modify.ts'
import type { TopologyGroups } from '../instances/topology.ts'
import { type Json, sameJson } from '../json.ts'
import type { DeploymentPlan, PlanNode, PlannedNodeInstance } from '../plan/plan.ts'
import type { StoredNodePlan } from './node-steps.ts'
import type { UpdateStep } from './step.ts'
import { deploymentUpdateSteps, modifiedEntityIds, type Updatable } from './steps.ts'
import type { StoredNumbers } from './stored-instances.ts'

/** A node as the manager stores it, with its numbers of instances. */
export interface StoredUpdateNode extends StoredNodePlan, StoredNumbers {
  readonly deploy_number_of_instances: number
  readonly min_number_of_instances: number
  readonly max_number_of_instances: number
}

/** The deployment that is updated, as the manager stores it. */
export interface StoredDeployment extends Updatable {
  readonly nodes: readonly StoredUpdateNode[]
  readonly instances: readonly PlannedNodeInstance[]
  readonly scaling_groups: ScalingGroups
}

type ScalingGroups = {
  readonly [name: string]: TopologyGroups[string] & {
    readonly properties?: { readonly [name: string]: Json }
  }
}

/** Parts of a node that an update writes. */
export type ModifiedAttribute = 'plugins' | 'relationships' | 'properties' | 'operations' | 'capabilities'

/** What an update does to a deployment (docs/reference/plan.md, "Updates"); the names are those of the API. */
export type UpdateChanges = {
  readonly steps: readonly UpdateStep[]
  readonly nodes: {
    readonly add: readonly string[]
    readonly remove: readonly string[]
    readonly modify_attributes: { readonly [node: string]: readonly ModifiedAttribute[] }
    readonly host_plugins_to_uninstall: {
      readonly [node: string]: readonly StoredNodePlan['plugins'][number][]
    }
    readonly cda_plugins_to_uninstall: {
      readonly [node: string]: readonly StoredNodePlan['plugins'][number][]
    }
  }
  readonly nodeInstances: {
    readonly added_and_related: readonly ModifiedInstance[]
    readonly removed_and_related: readonly ModifiedInstance[]
    readonly extended_and_related: readonly ModifiedInstance[]
    readonly reduced_and_related: readonly ModifiedInstance[]
    /** Nodes with any step on their relationships. */
    readonly relationships_changed: readonly string[]
  }
  readonly modifiedEntityIds: ReturnType<typeof modifiedEntityIds>
}

export type UpdateOutcome =
  | { readonly ok: true; readonly changes: UpdateChanges }
  /** The differences that no update can make. */
  | { readonly ok: false; readonly unsupported: readonly UpdateStep[] }

/**
 * What an update of a deployment to this plan does. `plan` is made of `withStoredInstances`. Throws `DslError`, and
 * `BudgetExceeded` when there would be too many instances.
 */
export function updateChanges(
  stored: StoredDeployment,
  plan: DeploymentPlan,
  randomId: () => string,
): UpdateOutcome {
  const steps = deploymentUpdateSteps(stored, plan)
  const unsupported = steps.filter((step) => !step.supported)
  if (unsupported.length > 0) return { ok: false, unsupported }
  return {
    ok: true,
    changes: {
      steps,
      nodes: changedNodes(stored, plan, steps),
      nodeInstances: {
        ...changedInstances(stored, plan, randomId),
        relationships_changed: nodesOf(steps.filter(({ entity_id: [, , part] }) => part === 'relationships')),
      },
      modifiedEntityIds: modifiedEntityIds(steps),
    },
  }
}

function changedNodes(
  stored: StoredDeployment,
  plan: DeploymentPlan,
  steps: readonly UpdateStep[],
): UpdateChanges['nodes'] {
  const byId = new Map(stored.nodes.map((node) => [node.id, node]))
  const ofNodes = (action: UpdateStep['action']) =>
    nodesOf(steps.filter((step) => step.action === action && step.entity_type === 'node'))
  const attributes = new Map<string, Set<ModifiedAttribute>>()
  const modify = (node: string, attribute: ModifiedAttribute) => {
    attributes.set(node, (attributes.get(node) ?? new Set()).add(attribute))
  }
  for (const { entity_type: type, entity_id: id } of steps) {
    const [list, node, part] = id
    if (node === undefined) continue
    if (type === 'plugin') modify(node, 'plugins')
    else if (list === 'nodes' && part !== undefined) modify(node, part as ModifiedAttribute)
  }
  const gone: Record<string, StoredNodePlan['plugins'][number][]>[] = [{}, {}]
  for (const node of plan.nodes) {
    const old = byId.get(node.id)
    if (old === undefined) continue
    if (!sameJson(numbersOf(old), plannedNumbers(node))) modify(node.id, 'capabilities')
    for (const plugin of old.plugins) {
      if (node.plugins.some(({ name, executor }) => name === plugin.name && executor === plugin.executor))
        continue
      modify(node.id, 'plugins')
      const into = gone[plugin.executor === 'host_agent' ? 0 : 1] ?? {}
      into[node.id] = [...(into[node.id] ?? []), plugin]
    }
  }
  const [hosts = {}, central = {}] = gone
  return {
    add: ofNodes('add'),
    remove: ofNodes('remove'),
    modify_attributes: Object.fromEntries([...attributes].map(([node, names]) => [node, [...names]])),
    host_plugins_to_uninstall: hosts,
    cda_plugins_to_uninstall: central,
  }
}

const nodesOf = (steps: readonly UpdateStep[]): readonly string[] => [
  ...new Set(steps.flatMap(({ entity_id: [, node] }) => node ?? [])),
]

const numbersOf = (node: StoredUpdateNode) => [
  node.planned_number_of_instances,
  node.deploy_number_of_instances,
  node.min_number_of_instances,
  node.max_number_of_instances,
]

function plannedNumbers({ capabilities }: PlanNode): readonly Json[] {
  const { planned_instances, default_instances, min_instances, max_instances } =
    capabilities.scalable.properties
  return [planned_instances, default_instances, min_instances, max_instances] as const
}

/** As scaling computes them, of the deployment's own groups: an update changes none (docs/reference/plan.md, "Scaling"). */
function changedInstances(stored: StoredDeployment, plan: DeploymentPlan, randomId: () => string) {
  const numbers: Record<string, number> = {}
  const modified: Record<string, { readonly instances: number }> = {}
  const byId = new Map(stored.nodes.map((node) => [node.id, node]))
  for (const { id, capabilities } of plan.nodes) {
    const { current_instances: current, planned_instances: wanted } = capabilities.scalable.properties
    numbers[id] = Number(current)
    const old = byId.get(id)
    if (old !== undefined && wanted !== old.planned_number_of_instances)
      modified[id] = { instances: Number(wanted) }
  }
  for (const [name, { properties }] of Object.entries(stored.scaling_groups)) {
    numbers[name] = Number(properties?.current_instances ?? 0)
  }
  return modifyNodeInstances({
    nodes: plan.nodes,
    instances: numbers,
    previousInstances: stored.instances,
    scalingGroups: stored.scaling_groups,
    groups: stored.groups,
    modified,
    randomId,
  })
}
