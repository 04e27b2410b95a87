import { nonRecoverable } from '../../operations/index.ts'
import type { NativeOperation } from './native-operation.ts'
import { readInstanceState } from './queries.ts'

/** `GetNodeInstanceStateTask`: the state of an instance of the execution's own deployment. */
export const getNodeInstanceState: NativeOperation = async ({ services, given }) => {
  const { node_instance_id: id } = given.inputs
  const { tenant_id: tenantId, deployment_id: deploymentId } = given.execution
  const state =
    typeof id === 'string' && deploymentId !== null
      ? await readInstanceState(services.db, tenantId, deploymentId, id)
      : undefined
  if (state !== undefined) return { ok: true, result: state }
  return nonRecoverable(`Node instance ${JSON.stringify(id)} is not in deployment ${deploymentId}`)
}
