import type { JsonObject } from '../json.ts'
import type { GraphPhase, Workflow } from '../workflow.ts'
import { executePhase } from './execute-operation.ts'
import { booleanParameter, dictParameter, selectionOf } from './selection.ts'

/**
 * One operation of `cloudify.interfaces.lifecycle`, which changes no state (docs/reference/workflows.md, "Execute
 * operation").
 */
const operationPhase = (name: string, parameters: JsonObject, given: string): GraphPhase =>
  executePhase({
    operation: `cloudify.interfaces.lifecycle.${name}`,
    kwargs: dictParameter(parameters, given),
    allowOverride: true,
    byDependencyOrder: booleanParameter(parameters, 'run_by_dependency_order', true),
    selection: selectionOf(parameters),
  })

const oneOperation = (name: string): Workflow => ({
  name,
  resumable: true,
  phases: (parameters) => [operationPhase(name, parameters, 'operation_parms')],
})

export const start = oneOperation('start')
export const stop = oneOperation('stop')
export const pull = oneOperation('pull')

export const restart: Workflow = {
  name: 'restart',
  resumable: true,
  phases: (parameters) => [
    operationPhase('stop', parameters, 'stop_parms'),
    operationPhase('start', parameters, 'start_parms'),
  ],
}
