import { type BuildScope, instanceById } from '../build-scope.ts'
import { isJsonObject, type JsonObject, type JsonValue } from '../json.ts'
import { canBeHealed, healSubgraph } from '../lifecycle/heal.ts'
import type { ModelNodeInstance } from '../model.ts'
import { type GraphPhase, type Workflow, WorkflowError } from '../workflow.ts'
import { checkStatusPhase } from './check.ts'
import { containmentOf } from './containment.ts'
import { buildLifecycleGraph } from './lifecycle-graph.ts'
import { reinstallPhases } from './reinstall.ts'
import { booleanParameter, listOfNames } from './selection.ts'

/**
 * docs/reference/workflows.md, "Heal". What is wrong is decided anew by each phase, from what the one before has
 * recorded: a status stays as it was found until an instance is healed or installed again.
 */
export const heal: Workflow = {
  name: 'heal',
  resumable: false,
  phases: (parameters) => {
    const flag = (name: string, preset: boolean) => booleanParameter(parameters, name, preset)
    const targets = [...listOfNames(parameters, 'node_instance_id')]
    const ignoreFailure = flag('ignore_failure', true)
    const chosen = (scope: BuildScope) => healedSet(scope, targets)
    const among = (set: (scope: BuildScope) => ReadonlySet<string>) => (scope: BuildScope) => {
      const ids = set(scope)
      return ({ id }: ModelNodeInstance) => ids.has(id)
    }
    if (flag('force_reinstall', false)) return reinstallPhases({ processed: among(chosen), ignoreFailure })

    const isHealthy = healthTest(targets.length === 0)
    const mayReinstall = flag('allow_reinstall', true)
    const toReinstall = (scope: BuildScope) => {
      const containment = containmentOf(scope)
      const ids = new Set<string>()
      for (const id of chosen(scope)) {
        const instance = instanceById(scope, id)
        if (isHealthy(instance) || (canBeHealed(scope, instance) && !hasFailedToHeal(scope, instance)))
          continue
        for (const within of containment.within(instance)) ids.add(within.id)
      }
      if (ids.size > 0 && !mayReinstall) throw new WorkflowError(reinstallRefusal([...ids]))
      return ids
    }
    return [
      ...(flag('check_status', true)
        ? [checkStatusPhase({ processed: among(chosen), byDependencyOrder: false, ignoreFailure: true })]
        : []),
      healPhase((scope) => {
        const ids = chosen(scope)
        return (instance) => ids.has(instance.id) && !isHealthy(instance) && canBeHealed(scope, instance)
      }),
      ...reinstallPhases({ processed: among(toReinstall), ignoreFailure }),
    ]
  },
}

export const healPhase = (
  processed: (scope: BuildScope) => (instance: ModelNodeInstance) => boolean,
): GraphPhase => ({
  kind: 'graph',
  name: 'heal',
  cleansUpOnResume: false,
  build: (input) =>
    buildLifecycleGraph(
      {
        processed,
        ignoreFailure: false,
        direction: 'targets-first',
        subgraph: (scope, instance) => healSubgraph(scope, instance, executionOf(scope)),
        relationshipOperation: null,
      },
      input,
    ),
})

export const executionOf = ({ context }: BuildScope): string => String(context.execution_id ?? '')

/** The host of each target, or itself, with everything in it; all instances where none is named. */
function healedSet(scope: BuildScope, targets: readonly string[]): ReadonlySet<string> {
  if (targets.length === 0) return new Set(scope.instances.keys())
  const containment = containmentOf(scope)
  const named = targets.map((id) => containment.hostOf(instanceById(scope, id)))
  return new Set(named.flatMap((instance) => containment.within(instance).map(({ id }) => id)))
}

const property = (
  { system_properties: properties }: ModelNodeInstance,
  name: string,
): JsonValue | undefined => properties?.[name]

/** Where a whole deployment is healed, what was never checked is well. */
export const healthTest = (isDeploymentWide: boolean) => (instance: ModelNodeInstance) => {
  const found = property(instance, 'status')
  const status: JsonObject = isJsonObject(found) ? found : {}
  return status.ok === true || (isDeploymentWide && (status.task ?? null) === null)
}

export const hasFailedToHeal = (scope: BuildScope, instance: ModelNodeInstance): boolean =>
  property(instance, 'heal_failed') === executionOf(scope)

const namedAtMost = 5

function reinstallRefusal(ids: readonly string[]): string {
  const more = ids.length > namedAtMost ? ` (and ${ids.length - namedAtMost} more)` : ''
  const named = ids.slice(0, namedAtMost).join(', ')
  return `allow_reinstall is false, but would need to reinstall instances: ${named}${more}`
}
