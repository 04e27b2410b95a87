import type { GraphPhase, Workflow } from '../workflow.ts'
import { installPhase } from './install.ts'
import type { LifecycleGraph } from './lifecycle-graph.ts'
import { booleanParameter, selecting, selectionOf } from './selection.ts'
import { uninstallPhase } from './uninstall.ts'

/** docs/reference/workflows.md, "Reinstall" */
export const reinstall: Workflow = {
  name: 'reinstall',
  resumable: true,
  phases: (parameters) =>
    reinstallPhases({
      processed: selecting(selectionOf(parameters)),
      ignoreFailure: booleanParameter(parameters, 'ignore_failure', false),
    }),
}

/** The instances are uninstalled, read anew, and installed. */
export const reinstallPhases = (
  graph: Pick<LifecycleGraph, 'processed' | 'ignoreFailure'>,
): readonly GraphPhase[] => [
  uninstallPhase('reinstall-uninstall', graph),
  installPhase('reinstall-install', graph.processed),
]
