import { installSubgraph } from '../lifecycle/install.ts'
import { uninstallSubgraph } from '../lifecycle/uninstall.ts'
import type { StoredOperation } from '../stored-operation.ts'
import type { Work } from '../work.ts'
import { type BuildInput, WorkflowError } from '../workflow.ts'
import { buildLifecycleGraph } from './lifecycle-graph.ts'

/** A lifecycle of some instances of a deployment, as workflows in Python ask for it. */
export type LifecycleOf = {
  readonly lifecycle: 'install' | 'uninstall'
  /** Something is done to these. */
  readonly instanceIds: readonly string[]
  /** To these it is not; the order goes through them, and their relationships to the others are established or unlinked. */
  readonly relatedIds: readonly string[]
  readonly ignoreFailure: boolean
}

/** @throws WorkflowError when an instance is none of the deployment */
export function buildLifecycleOf(
  { lifecycle, instanceIds, relatedIds, ignoreFailure }: LifecycleOf,
  input: BuildInput,
): Work<readonly StoredOperation[]> {
  const known = new Set(input.model.nodeInstances.map(({ id }) => id))
  const unknown = [...instanceIds, ...relatedIds].filter((id) => !known.has(id))
  if (unknown.length > 0) {
    throw new WorkflowError(
      `Node instances ${unknown.slice(0, 5).join(', ')} do not exist in this deployment.`,
    )
  }
  const chosen = new Set(instanceIds)
  const isInstall = lifecycle === 'install'
  return buildLifecycleGraph(
    {
      processed:
        () =>
        ({ id }) =>
          chosen.has(id),
      related: new Set(relatedIds),
      ignoreFailure,
      direction: isInstall ? 'targets-first' : 'sources-first',
      subgraph: isInstall ? installSubgraph : uninstallSubgraph,
      relationshipOperation: isInstall ? 'establish' : 'unlink',
    },
    input,
  )
}
