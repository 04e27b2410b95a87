import type { SystemPropertyChange } from '@tutti/engine'
import { inParts, type Transaction } from '@tutti/storage'
import { asObject, type JsonObject } from '../json-object.ts'
import { checkResults } from './checks.ts'
import { lockSystemProperties, updateSystemProperties } from './system-properties-queries.ts'

/**
 * Records what checks have found in the system properties of instances of one deployment, in their order, with what
 * follows from it (docs/reference/nodes-and-instances.md, "Checks").
 */
export async function setSystemProperties(
  transaction: Transaction,
  owner: { readonly tenantId: number; readonly deploymentId: string },
  changes: readonly SystemPropertyChange[],
): Promise<void> {
  const byInstance = new Map<string, SystemPropertyChange[]>()
  for (const change of changes) {
    const others = byInstance.get(change.nodeInstanceId)
    if (others === undefined) byInstance.set(change.nodeInstanceId, [change])
    else others.push(change)
  }
  for (const ids of inParts([...byInstance.keys()])) {
    const rows = await lockSystemProperties(transaction, owner, ids)
    const changed = rows.map(({ id, system_properties: stored }) => {
      const properties = (byInstance.get(id) ?? []).reduce(withChange, stored)
      return { id, properties, ...checkResults(properties) }
    })
    await updateSystemProperties(transaction, owner.tenantId, changed)
  }
}

function withChange(properties: JsonObject, { path: [name, key], value }: SystemPropertyChange): JsonObject {
  if (key !== undefined) return { ...properties, [name]: { ...asObject(properties[name]), [key]: value } }
  if (name !== 'status') return { ...properties, [name]: value }
  return { ...properties, previous_status: properties.status ?? null, status: value }
}
