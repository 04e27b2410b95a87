import { buildGraph } from '../build-graph.ts'
import type { BuildScope } from '../build-scope.ts'
import type { JsonObject, JsonValue } from '../json.ts'
import { isUnresolved, rollbackSteps } from '../lifecycle/rollback.ts'
import { deletePart, uninstallSubgraph } from '../lifecycle/uninstall.ts'
import type { ModelNodeInstance } from '../model.ts'
import type { SubgraphStep } from '../step.ts'
import { type ActionPhase, type GraphPhase, type Phase, type Workflow, WorkflowError } from '../workflow.ts'
import { installPhase } from './install.ts'
import { noticePart } from './lifecycle-graph.ts'
import { booleanParameter, listOfNames } from './selection.ts'
import { uninstallPhase } from './uninstall.ts'

/**
 * docs/reference/workflows.md, "Scale". The instances come and go by a modification of the deployment, which the first
 * phase begins (`domain/src/workflow-actions`); the graphs are about the instances that it has marked.
 */
export const scale: Workflow = {
  name: 'scale',
  resumable: true,
  phases: (parameters) => {
    const entity = parameters.scalable_entity_name
    if (typeof entity !== 'string' || entity === '') {
      throw new WorkflowError('Parameter scalable_entity_name must name a node or a scaling group.')
    }
    return scalePhases(entity, parameters, booleanParameter(parameters, 'scale_compute', false))
  },
}

/** What types files of long ago call `scale`: of a node only. */
export const scaleNode: Workflow = {
  name: 'scale',
  resumable: true,
  phases: (parameters) => {
    const node = parameters.node_id
    if (typeof node !== 'string' || node === '') {
      throw new WorkflowError('Parameter node_id must name a node.')
    }
    return scalePhases(node, parameters, booleanParameter(parameters, 'scale_compute', true))
  },
}

function scalePhases(entity: string, parameters: JsonObject, scaleCompute: boolean): readonly Phase[] {
  const delta = deltaOf(parameters.delta ?? 1)
  if (delta === 0) return [noticePhase('scale', 'delta parameter is 0, so no scaling will take place.')]
  const flag = (name: string, preset: boolean) => booleanParameter(parameters, name, preset)
  const include = [...listOfNames(parameters, 'include_instances')]
  const exclude = [...listOfNames(parameters, 'exclude_instances')]
  checkHints({ include, exclude, delta, scaleCompute })
  const ignoreFailure = flag('ignore_failure', false)
  const input = { entity, delta, scale_compute: scaleCompute, include, exclude }
  const modify = (otherwise: ActionPhase['otherwise']): ActionPhase => ({
    kind: 'action',
    name: 'modify',
    action: 'modification',
    input,
    otherwise,
  })
  const abort = flag('abort_started', false) ? abortPhases(entity, ignoreFailure) : []
  if (delta < 0) {
    return [
      ...abort,
      // Undone when it fails; a cancelled one stays, so that it can be resumed.
      modify({ kind: 'undo-after', graphs: [] }),
      uninstallPhase(`${entity}_uninstall`, { processed: marked('removed'), ignoreFailure }),
    ]
  }
  const otherwise: ActionPhase['otherwise'] = flag('rollback_if_failed', true)
    ? { kind: 'undo-after', graphs: [backPhase(`${entity}_rollback`)] }
    : { kind: 'keep' }
  return [...abort, modify(otherwise), installPhase(`${entity}_install`, marked('added'))]
}

/** What was begun and never ended is uninstalled, and goes. */
const abortPhases = (entity: string, ignoreFailure: boolean): readonly Phase[] => [
  uninstallPhase(`${entity}_abort_started`, {
    processed: ({ modification }) => {
      const added = modification?.added
      return ({ id }) => added?.has(id) === true
    },
    ignoreFailure,
  }),
  {
    kind: 'action',
    name: 'abort_started',
    action: 'abort-modification',
    input: {},
    otherwise: { kind: 'keep' },
  },
]

/** @throws WorkflowError when somebody has ended the modification meanwhile */
const marked =
  (which: 'added' | 'removed') =>
  ({ modification }: BuildScope) => {
    if (modification === undefined) {
      throw new WorkflowError('The modification of the deployment that this execution began has been ended.')
    }
    const ids = modification[which]
    return ({ id }: ModelNodeInstance) => ids.has(id)
  }

/** Whatever has come into being of the added instances is undone, failing or not: they are no more afterwards. */
const backPhase = (name: string): GraphPhase =>
  uninstallPhase(name, {
    processed: (scope) => {
      const isAdded = marked('added')(scope)
      return (instance) => isAdded(instance) && !['uninitialized', 'deleted'].includes(instance.state)
    },
    ignoreFailure: true,
    subgraph: undoneSubgraph,
    notice: noticePart('scale_back', 'Scale out failed, scaling back in.'),
  })

function undoneSubgraph(scope: BuildScope, instance: ModelNodeInstance): SubgraphStep {
  if (!isUnresolved(instance)) return uninstallSubgraph(scope, instance)
  const rest = instance.state === 'starting' ? [deletePart(scope, instance)] : []
  return {
    kind: 'subgraph',
    name: `rollback_${instance.id}`,
    steps: [...rollbackSteps(scope, instance), ...rest],
  }
}

const noticePhase = (name: string, event: string): GraphPhase => ({
  kind: 'graph',
  name,
  cleansUpOnResume: false,
  build: ({ newId }) => buildGraph({ parts: [noticePart(name, event)] }, newId),
})

function deltaOf(given: JsonValue): number {
  const delta = typeof given === 'string' && given.trim() !== '' ? Number(given) : given
  if (typeof delta === 'number' && Number.isSafeInteger(delta)) return delta
  throw new WorkflowError(`The delta parameter must be a number. Got: ${JSON.stringify(given)}`)
}

type Hints = {
  readonly include: readonly string[]
  readonly exclude: readonly string[]
  readonly delta: number
  readonly scaleCompute: boolean
}

function checkHints({ include, exclude, delta, scaleCompute }: Hints): void {
  if (include.length === 0 && exclude.length === 0) return
  if (delta > 0) {
    throw new WorkflowError(
      'Instances cannot be included or excluded when scaling up: delta is not negative.',
    )
  }
  if (scaleCompute) {
    throw new WorkflowError('Instances cannot be included or excluded when scale_compute is true.')
  }
  const excluded = new Set(exclude)
  const both = include.filter((id) => excluded.has(id))
  if (both.length === 0) return
  throw new WorkflowError(`Instances cannot be both included and excluded: ${both.join(', ')}`)
}
