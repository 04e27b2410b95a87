import type { InstanceChange, PreparedUpdate, UpdateOptions } from '@tutti/domain/deployment-updates'
import {
  BudgetExceeded,
  type DeploymentPlan,
  DslError,
  type Json,
  type ModifiedInstance,
  PLANNING_LIMITS,
  type StoredDeployment,
  type UpdateChanges,
  type UpdateStep,
  updateChanges,
  withFreeIdsIn,
  withStoredInstances,
} from '@tutti/dsl'
import {
  type BuildScope,
  buildScope,
  defaultSettings,
  type InstanceEdges,
  type ModelNodeInstance,
  type UpdateRun,
  updateDecision,
} from '@tutti/engine'
import { storedPlan } from './blueprint.ts'
import {
  type EnvironmentAnswers,
  type EnvironmentToPlan,
  type FailedPlan,
  planDeployment,
  readPlan,
} from './environment.ts'

/** A deployment and what it is to become. */
export type UpdateToPlan = EnvironmentToPlan & {
  readonly deploymentId: string
  readonly stored: Omit<StoredDeployment, 'nodes' | 'instances'> & {
    readonly nodes: StoredDeployment['nodes']
    readonly instances: readonly ModelNodeInstance[]
    readonly labels: readonly { readonly key: string; readonly value: string }[]
  }
  /** Descriptors of central plugins of the present blueprint. */
  readonly oldPlugins: readonly unknown[]
  readonly options: UpdateOptions
  readonly isPreview: boolean
  readonly changesBlueprint: boolean
}

export type PlannedUpdate =
  | {
      readonly ok: true
      readonly update: Omit<PreparedUpdate, 'planOf' | 'steps'> & { readonly steps: readonly UpdateStep[] }
    }
  | FailedPlan

/** What an update does, computed (docs/reference/deployment-updates.md). */
export async function planUpdate(
  request: UpdateToPlan,
  answers: EnvironmentAnswers,
  randomId: () => string,
): Promise<PlannedUpdate> {
  const { stored, options } = request
  const written = readPlan(request)
  const declared = new Set(Object.keys(written.inputs))
  const inputs = Object.fromEntries(Object.entries(request.inputs).filter(([name]) => declared.has(name)))
  const outcome = await planDeployment(
    {
      plan: withStoredInstances(written, stored.nodes),
      inputs,
      runtimeOnlyEvaluation: request.runtimeOnlyEvaluation,
      autoCorrectTypes: options.auto_correct_types,
      deploymentId: request.deploymentId,
      randomId,
      limits: PLANNING_LIMITS,
    },
    answers,
  )
  if (!outcome.ok) return outcome
  const { deploymentPlan: plan } = outcome
  const unknown = options.reinstall_list.filter((id) => !stored.instances.some((one) => one.id === id))
  if (unknown.length > 0)
    return failed(`Cannot update: node instances to reinstall do not exist: ${unknown.join(', ')}`)
  try {
    const difference = updateChanges({ ...stored, instances: stored.instances.map(planned) }, plan, randomId)
    if (!difference.ok) return failed(unsupported(difference.unsupported))
    const { nodeInstances } = difference.changes
    const free = await withFreeIdsIn(nodeInstances, (ids) => answers.takenInstanceIds(ids), randomId)
    const changes = { ...difference.changes, nodeInstances: free }
    const run = updateRun(request, changes, plan)
    return {
      ok: true,
      update: {
        ...changes,
        plan: storedPlan({ ...plan, node_instances: [] } as DeploymentPlan),
        inputs: JSON.stringify(plan.inputs),
        deployment: deploymentOf(plan),
        centralPlugins: centralPlugins(request.oldPlugins, plan),
        labels: newLabels(request, plan),
        instanceChanges: instanceChanges(scopeAfter(request, run, plan), run),
        run,
      },
    }
  } catch (error) {
    if (!(error instanceof DslError)) throw error
    return { ok: false, error: error.message, isTooLarge: error instanceof BudgetExceeded }
  }
}

const failed = (error: string): FailedPlan => ({ ok: false, error, isTooLarge: false })

const planned = ({ id, node_id, host_id, relationships, scaling_groups }: ModelNodeInstance) => ({
  id,
  name: node_id,
  node_id,
  ...(host_id != null && { host_id }),
  relationships,
  ...(scaling_groups.length > 0 && { scaling_groups }),
})

const unsupported = (steps: readonly UpdateStep[]): string =>
  `Cannot update: unsupported steps found: ${steps
    .map(({ action, entity_type: type, entity_id: id }) => `${action} ${type} ${id.join(':')}`)
    .join(', ')}`

function updateRun(request: UpdateToPlan, changes: UpdateChanges, plan: DeploymentPlan): UpdateRun {
  const { stored, options } = request
  const { nodeInstances: lists } = changes
  const marked = (list: (typeof lists)['added_and_related'], mark: string) =>
    list.filter(({ modification }) => modification === mark)
  const removed = marked(lists.removed_and_related, 'removed').map(({ id }) => id)
  const changedNodes = [
    ...new Set(
      changes.steps.flatMap(({ entity_type: type, entity_id: [list, node] }) =>
        (type === 'property' || type === 'operation') && list === 'nodes' && node !== undefined ? [node] : [],
      ),
    ),
  ]
  const going = new Set(removed)
  const run = {
    isPreview: request.isPreview,
    changesBlueprint: request.changesBlueprint,
    skipInstall: options.skip_install,
    skipUninstall: options.skip_uninstall,
    ignoreFailure: options.ignore_failure,
    skipReinstall: options.skip_reinstall,
    skipDriftCheck: options.skip_drift_check,
    skipHeal: options.skip_heal,
    forceReinstall: options.force_reinstall,
    reinstallList: options.reinstall_list.filter((id) => !going.has(id)),
    changedNodes,
    candidates: stored.instances.flatMap(({ id, state }) =>
      state === 'started' && !going.has(id) ? [id] : [],
    ),
    added: marked(lists.added_and_related, 'added').map(({ id }) => id),
    removed,
    extended: marked(lists.extended_and_related, 'extended').map(edgesOf),
    reduced: marked(lists.reduced_and_related, 'reduced').map(edgesOf),
  }
  const changed = new Set(changedNodes)
  const scope = scopeAfter(request, run, plan)
  const { checksDrift } = updateDecision(scope, run)
  const candidates = run.candidates.filter((id) => {
    const instance = scope.instances.get(id)
    return instance !== undefined && (changed.has(instance.node_id) || checksDrift(instance))
  })
  return { ...run, candidates }
}

const edgesOf = ({ id, relationships }: ModifiedInstance): InstanceEdges => ({
  id,
  edges: relationships,
})

function deploymentOf({ description, inputs, outputs, capabilities }: DeploymentPlan): object {
  return { description, inputs, outputs, capabilities }
}

/** Descriptors that came and went; none is uninstalled. */
function centralPlugins(old: readonly unknown[], plan: DeploymentPlan) {
  const now = [...plan.deployment_plugins_to_install, ...plan.workflow_plugins_to_install]
  const without = (list: readonly unknown[], others: readonly unknown[]) => {
    const known = new Set(others.map((one) => JSON.stringify(one)))
    return list.filter((one) => !known.has(JSON.stringify(one)))
  }
  return { install: without(now, old), uninstall: without(old, now) }
}

function newLabels({ stored }: UpdateToPlan, { labels }: DeploymentPlan) {
  const known = new Set(stored.labels.map(({ key, value }) => JSON.stringify([key, value])))
  return Object.entries(labels).flatMap(([key, { values }]) =>
    values.flatMap((value: Json) =>
      known.has(JSON.stringify([key.toLowerCase(), value])) ? [] : [{ key, value: String(value) }],
    ),
  )
}

/** What stays, as the new plan has its nodes. */
function scopeAfter({ stored }: UpdateToPlan, run: UpdateRun, plan: DeploymentPlan): BuildScope {
  const gone = new Set(run.removed)
  const lost = new Map(run.reduced.map(({ id, edges }) => [id, new Set(edges.map(keyOf))]))
  const nodeInstances = stored.instances
    .filter(({ id }) => !gone.has(id))
    .map((instance) => ({
      ...instance,
      relationships: instance.relationships.filter(
        (edge) => lost.get(instance.id)?.has(keyOf(edge)) !== true,
      ),
    }))
  return buildScope({ model: { nodes: plan.nodes, nodeInstances, settings: defaultSettings }, context: {} })
}

const keyOf = ({ type, target_id }: InstanceEdges['edges'][number]) => `${type}\n${target_id}`

/** By what is known before anything is checked. */
function instanceChanges(scope: BuildScope, run: UpdateRun): readonly InstanceChange[] {
  const decision = updateDecision(scope, run)
  const again = decision.reinstalled()
  return [...scope.instances.values()].flatMap((instance): readonly InstanceChange[] => {
    const { id, node_id } = instance
    const reason = again.get(id)
    if (decision.checksDrift(instance) && reason !== 'listed') {
      return [{ id, node_id, change: 'check_drift', because: 'checked' }]
    }
    if (reason !== undefined) return [{ id, node_id, change: 'reinstall', because: reason }]
    return decision.isToUpdate(instance) ? [{ id, node_id, change: 'update', because: 'changed' }] : []
  })
}
