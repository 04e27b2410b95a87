import { isDeepStrictEqual } from 'node:util'
import type { Transaction } from '@tutti/storage'
import { afterState, checkResults } from './checks.ts'
import { lockInstance, updateInstance } from './queries.ts'

/**
 * Sets the state that a stored task has reached, with what follows from it (docs/reference/nodes-and-instances.md,
 * "States"). A task of an execution is about an instance of its own deployment, whatever else it names.
 */
export async function setInstanceState(
  transaction: Transaction,
  {
    tenantId,
    deploymentId,
    id,
  }: { readonly tenantId: number; readonly deploymentId: string; readonly id: string },
  state: string,
  now: Date,
): Promise<void> {
  const instance = await lockInstance(transaction, tenantId, id)
  if (instance?.deploymentId !== deploymentId) return
  const properties = afterState(instance.systemProperties, state, now)
  const isSame = isDeepStrictEqual(properties, instance.systemProperties)
  if (isSame && instance.state === state) return
  await updateInstance(transaction, tenantId, id, {
    state,
    ...(!isSame && { system: { properties, ...checkResults(properties) } }),
  })
}
