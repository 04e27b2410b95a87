import { placeSubgraph } from '../build-graph.ts'
import { type BuildScope, buildScope } from '../build-scope.ts'
import type { Lineage } from '../lineage.ts'
import type { ModelNodeInstance } from '../model.ts'
import type { Step } from '../step.ts'
import type { StoredOperation } from '../stored-operation.ts'
import { operationOf } from '../task.ts'
import { each, type Work } from '../work.ts'
import type { BuildInput } from '../workflow.ts'
import { hostUninstall } from './host.ts'
import { nothing, operation, sendEvent } from './instance-tasks.ts'

export type CleanupChange = {
  readonly changed: ReadonlyMap<string, StoredOperation>
  readonly inserted: readonly StoredOperation[]
}

/**
 * Undoes half-done starts and creations before an installation is resumed (docs/reference/workflows.md, "Resuming"):
 * the subgraph that holds the operation starts again, after `resume_cleanup_<instance id>`.
 */
export function* resumeCleanup(
  rows: readonly StoredOperation[],
  lineage: Lineage,
  input: BuildInput,
): Work<CleanupChange> {
  const scope = buildScope(input, true)
  const current = new Map<string, StoredOperation>()
  yield* each(rows, (row) => current.set(row.id, row))
  const changed = new Map<string, StoredOperation>()
  const inserted: StoredOperation[] = []
  yield* each(rows, (row) => {
    const { operation: name, nodeInstanceId } = operationOf(row.parameters)
    if (row.state !== 'pending' || name === null || nodeInstanceId === null || !lineage.isLive(row)) return
    const instance = scope.instances.get(nodeInstanceId)
    const steps = instance === undefined ? null : cleanupSteps(scope, instance, name)
    const subgraph = current.get(row.parameters.containing_subgraph ?? '')
    if (instance === undefined || steps === null || subgraph === undefined) return
    const id = placeSubgraph(
      {
        kind: 'subgraph',
        name: `resume_cleanup_${instance.id}`,
        steps: [
          sendEvent(instance, 'Rolling back prior to resuming install'),
          ...steps,
          sendEvent(instance, 'Finished rolling back, now resuming install'),
        ],
      },
      { container: subgraph.parameters.containing_subgraph, after: [], rows: inserted, newId: input.newId },
    )
    changed.set(subgraph.id, {
      ...subgraph,
      state: 'pending',
      dependencies: [...subgraph.dependencies, id],
    })
  })
  return { changed, inserted }
}

function cleanupSteps(
  scope: BuildScope,
  instance: ModelNodeInstance,
  pendingName: string,
): readonly Step[] | null {
  const run = (shortName: string) => operation(scope, instance, shortName) ?? nothing
  if (instance.state === 'starting' && pendingName === 'cloudify.interfaces.lifecycle.start') {
    return [run('lifecycle.prestop'), hostUninstall(scope, instance), run('lifecycle.stop')]
  }
  if (instance.state === 'creating' && pendingName === 'cloudify.interfaces.lifecycle.create') {
    return [run('lifecycle.delete'), run('lifecycle.postdelete')]
  }
  return null
}
