import { buildGraph } from '../build-graph.ts'
import { type BuildScope, buildScope, instanceById, nodeOf } from '../build-scope.ts'
import { operation } from '../lifecycle/instance-tasks.ts'
import type { ModelNodeInstance, ModelRelationshipInstance } from '../model.ts'
import { relationshipOperation } from '../operation-step.ts'
import { type Step, type SubgraphStep, sequence } from '../step.ts'
import type { StoredOperation } from '../stored-operation.ts'
import { made, type Work } from '../work.ts'
import type { ActionPhase, BuildInput, GraphPhase, Phase, Workflow } from '../workflow.ts'
import { checkDriftPhase, checkStatusPhase } from './check.ts'
import { executionOf, healPhase } from './heal.ts'
import { installPhase } from './install.ts'
import { buildLifecycleGraph, stub } from './lifecycle-graph.ts'
import { reinstallPhases } from './reinstall.ts'
import { uninstallPhase } from './uninstall.ts'
import { type UpdateChoice, type UpdateDecision, updateDecision } from './update-decision.ts'

/** What an update has been prepared to do (docs/reference/deployment-updates.md). */
export type UpdateRun = UpdateChoice & {
  /** Nothing is done: it was all about what would be. */
  readonly isPreview: boolean
  /** The files of another blueprint are what operations find from some point on. */
  readonly changesBlueprint: boolean
  readonly skipInstall: boolean
  readonly skipUninstall: boolean
  readonly ignoreFailure: boolean
  readonly added: readonly string[]
  readonly removed: readonly string[]
  /** Of instances that stay, relationships that come and go. */
  readonly extended: readonly InstanceEdges[]
  readonly reduced: readonly InstanceEdges[]
}

export type InstanceEdges = {
  readonly id: string
  readonly edges: readonly ModelRelationshipInstance[]
}

/** The name by which an update's execution is known. */
export const updateWorkflowName = 'update'

/**
 * Actions of it (`workflow-actions`). One writes the new plan, and takes away what is removed when all is done. What is
 * removed finds the files of the old blueprint, so another one puts the new one in its place afterwards.
 */
export const updateActions = {
  apply: 'deployment_update',
  blueprint: 'deployment_update_blueprint',
} as const

/** What an update does, once it is prepared (docs/reference/deployment-updates.md, "What is done"). */
export function updateWorkflow(run: UpdateRun): Workflow {
  return { name: updateWorkflowName, resumable: true, phases: () => (run.isPreview ? [] : phasesOf(run)) }
}

/** A phase that can have nothing to do is left out. */
function phasesOf(run: UpdateRun): readonly Phase[] {
  return [
    action('apply'),
    ...(run.skipUninstall ? [] : uninstalling(run)),
    ...(run.changesBlueprint ? [action('blueprint')] : []),
    ...updating(run),
    ...(run.skipInstall ? [] : installing(run)),
  ]
}

const action = (name: keyof typeof updateActions): ActionPhase => ({
  kind: 'action',
  name,
  action: updateActions[name],
  input: {},
  otherwise: { kind: 'keep' },
})

function uninstalling({ reduced, removed, ignoreFailure }: UpdateRun): readonly GraphPhase[] {
  const going = new Set(removed)
  return [
    ...edgesPhase('unlink-uninstall', 'unlink', edgesBeside(reduced, going), ignoreFailure),
    ...(going.size === 0 ? [] : [uninstallPhase('uninstall', { processed: among(going), ignoreFailure })]),
  ]
}

function installing({ extended, added }: UpdateRun): readonly GraphPhase[] {
  const coming = new Set(added)
  return [
    ...(coming.size === 0 ? [] : [installPhase('install', among(coming))]),
    ...edgesPhase('establish-install', 'establish', edgesBeside(extended, coming), false),
  ]
}

const among = (ids: ReadonlySet<string>) => () => (instance: ModelNodeInstance) => ids.has(instance.id)

/** Those to instances that come or go themselves are seen to by the graph that installs or uninstalls these. */
const edgesBeside = (changed: readonly InstanceEdges[], ids: ReadonlySet<string>): readonly InstanceEdges[] =>
  changed.flatMap(({ id, edges }) => {
    const beside = edges.filter(({ target_id: target }) => !ids.has(target))
    return beside.length === 0 ? [] : [{ id, edges: beside }]
  })

/** Instances that stay: they are checked, healed, updated, and what does not take it is installed again. */
function updating(run: UpdateRun): readonly GraphPhase[] {
  if (run.candidates.length === 0 && run.reinstallList.length === 0) return []
  const decisionOf = deciding(run)
  const processing =
    (which: (decision: UpdateDecision) => (instance: ModelNodeInstance) => boolean) => (scope: BuildScope) =>
      which(decisionOf(scope))
  const check = { byDependencyOrder: false, ignoreFailure: true } as const
  const phases = [
    ...(run.skipDriftCheck
      ? []
      : [
          checkDriftPhase('update_check_drift', {
            ...check,
            processed: processing(({ checksDrift }) => checksDrift),
          }),
        ]),
    ...(run.skipHeal
      ? []
      : [
          checkStatusPhase({ ...check, processed: processing(({ isToUpdate }) => isToUpdate) }),
          healPhase(processing(({ heals }) => heals)),
        ]),
    updatePhase(run, decisionOf),
    ...reinstallPhases({
      processed: processing(({ reinstalled }) => {
        const ids = reinstalled()
        return ({ id }) => ids.has(id)
      }),
      ignoreFailure: run.ignoreFailure,
    }),
  ]
  return phases.map((phase) => ({ ...phase, build: (input) => phase.build(staying(run, input)) }))
}

/** One for each graph: it looks at every instance. */
function deciding(run: UpdateRun): (scope: BuildScope) => UpdateDecision {
  const known = new WeakMap<BuildScope, UpdateDecision>()
  return (scope) => {
    const decision = known.get(scope) ?? updateDecision(scope, run)
    known.set(scope, decision)
    return decision
  }
}

const updatePhase = (run: UpdateRun, decisionOf: (scope: BuildScope) => UpdateDecision): GraphPhase => ({
  kind: 'graph',
  name: 'update',
  cleansUpOnResume: false,
  build: (input) =>
    buildLifecycleGraph(
      {
        processed: (scope) => decisionOf(scope).updates,
        ignoreFailure: false,
        direction: 'targets-first',
        subgraph: (scope, instance) => updateSubgraph(scope, instance, decisionOf(scope), run),
        relationshipOperation: null,
      },
      input,
    ),
})

const updateOperations = [
  'preupdate',
  'update',
  'postupdate',
  'update_config',
  'update_apply',
  'update_postapply',
] as const

/** `update_<instance id>`; a failure is noted, and the instance installed again unless that is to be skipped. */
function updateSubgraph(
  scope: BuildScope,
  instance: ModelNodeInstance,
  decision: UpdateDecision,
  { skipReinstall }: UpdateRun,
): SubgraphStep {
  const steps = updateOperations.flatMap((name) => operation(scope, instance, `lifecycle.${name}`) ?? [])
  const edges = instance.relationships.filter((edge) => decision.updatesRelationship(instance, edge))
  return {
    kind: 'subgraph',
    name: `update_${instance.id}`,
    steps: [sequence(...steps), edgeOperations(scope, instance, edges, 'update')],
    ...(!skipReinstall && {
      onFailure: {
        path: 'update_failed',
        node_instance_id: instance.id,
        execution_id: executionOf(scope),
      },
    }),
  }
}

/** One operation of these relationships, and of no others. */
function edgesPhase(
  name: string,
  operationName: 'establish' | 'unlink',
  changed: readonly InstanceEdges[],
  ignoreFailure: boolean,
): readonly GraphPhase[] {
  if (changed.length === 0) return []
  const build = (input: BuildInput) =>
    buildEdges(operationName, changed, buildScope(input, ignoreFailure), input)
  return [{ kind: 'graph', name, cleansUpOnResume: false, build }]
}

function* buildEdges(
  name: 'establish' | 'unlink',
  changed: readonly InstanceEdges[],
  scope: BuildScope,
  { newId }: BuildInput,
): Work<readonly StoredOperation[]> {
  const partOf = ({ id, edges }: InstanceEdges) => {
    const instance = instanceById(scope, id)
    const inOrder = name === 'unlink' ? edges.toReversed() : edges
    return { key: id, step: stub(instance, edgeOperations(scope, instance, inOrder, name)), waitsFor: [] }
  }
  return yield* buildGraph({ parts: made(changed, partOf) }, newId)
}

/** Of the very relationships that are meant: another one may lead to the same instance. */
function edgeOperations(
  scope: BuildScope,
  source: ModelNodeInstance,
  edges: readonly ModelRelationshipInstance[],
  name: 'establish' | 'unlink' | 'update',
): Step {
  const { relationships } = nodeOf(scope, source)
  const steps = edges.flatMap((instance) => {
    const declared = relationships.findLast(
      ({ type, target_id }) => type === instance.type && target_id === instance.target_name,
    )
    if (declared === undefined) return []
    const fullName = `cloudify.interfaces.relationship_lifecycle.${name}`
    return [relationshipOperation(scope, source, { instance, declared }, fullName, (step) => step)]
  })
  return { kind: 'subgraph', name: `${name}_subgraph`, steps }
}

/**
 * The deployment without what comes and goes: relationships that go are unlinked by now, those that come are established
 * when everything is installed.
 */
function staying({ added, removed, extended, reduced }: UpdateRun, input: BuildInput): BuildInput {
  const gone = new Set([...added, ...removed])
  const changed = new Map<string, Set<string>>()
  for (const { id, edges } of [...extended, ...reduced]) {
    const keys = changed.get(id) ?? new Set()
    for (const edge of edges) keys.add(keyOf(edge))
    changed.set(id, keys)
  }
  if (gone.size === 0 && changed.size === 0) return input
  const nodeInstances = input.model.nodeInstances.flatMap((instance) => {
    if (gone.has(instance.id)) return []
    const keys = changed.get(instance.id)
    if (keys === undefined) return [instance]
    return [{ ...instance, relationships: instance.relationships.filter((edge) => !keys.has(keyOf(edge))) }]
  })
  return { ...input, model: { ...input.model, nodeInstances } }
}

const keyOf = ({ type, target_id }: ModelRelationshipInstance) => `${type}\n${target_id}`
