import { setImmediate } from 'node:timers/promises'
import type { EvaluationStorage, SystemFact } from '@tutti/dsl'
import type { Database, Scope } from '@tutti/storage'
import {
  type EvaluatedDeployment,
  findEvaluatedDeployment,
  findInstance,
  findNode,
  listConsumers,
  listGroupMembers,
  listInstancesOf,
  listLabelValues,
} from './queries.ts'

export type EvaluationSources = {
  readonly db: Database
  /** The text of a secret that the scope shows; undefined when there is none of that key. */
  readSecret(scope: Scope, key: string): Promise<string | undefined>
}

/**
 * What intrinsic functions read, from the database. Each thing is read once: whoever evaluates a whole list of nodes
 * asks again and again for the same ones. Made for one request, so nothing in it grows old.
 */
export function deploymentStorage(
  sources: EvaluationSources,
  scope: Scope,
  deployment: EvaluatedDeployment,
): EvaluationStorage {
  const { db, readSecret } = sources
  const facts: Readonly<Record<SystemFact, string>> = {
    'tenant.name': deployment.tenantName,
    'deployment.id': deployment.id,
    'deployment.name': deployment.displayName,
    'deployment.blueprint': deployment.blueprintId,
    'deployment.owner': deployment.createdBy,
  }
  const within = inOwnTenant(scope, deployment.tenantId)
  const node = remembered((id: string) => findNode(db, deployment, id))
  const nodeInstance = remembered((id: string) => findInstance(db, deployment, id))
  const nodeInstancesOf = remembered((nodeId: string) => listInstancesOf(db, deployment, nodeId))
  const labelValues = remembered((key: string) => listLabelValues(db, within, deployment, key))
  const consumers = remembered(() => listConsumers(db, within, deployment))
  const other = remembered(async (id: string) => {
    const found = await findEvaluatedDeployment(db, within, id)
    return found && { deployment: found, storage: deploymentStorage(sources, scope, found) }
  })

  return {
    deploymentId: deployment.id,
    pause: () => setImmediate(),
    node,
    nodeInstance,
    nodeInstancesOf,
    labelValues,
    consumers: () => consumers(''),
    input: async (name) => own(deployment.inputs, name),
    secret: remembered((key: string) => readSecret(within, key)),
    groupDeploymentIds: (groupId) => listGroupMembers(db, within, deployment.tenantId, groupId),
    parentDeploymentId: async () => (await labelValues('csys-obj-parent'))[0] ?? null,
    system: async (fact) => facts[fact],
    async capability(deploymentId, name) {
      const found = await other(deploymentId)
      if (found === undefined) return { found: 'no deployment' }
      const declared = own(found.deployment.capabilities, name)
      if (declared === undefined) return { found: 'no capability' }
      return { found: 'value', value: declared.value, storage: found.storage }
    },
  }
}

/** Names of other deployments mean those of the same tenant; of a tenant that is not the caller's, global ones only. */
function inOwnTenant(scope: Scope, tenantId: number): Scope {
  const all = new Set([...scope.tenantIds, ...scope.globalTenantIds])
  all.delete(tenantId)
  return scope.tenantIds.includes(tenantId)
    ? { ...scope, tenantIds: [tenantId], globalTenantIds: [...all] }
    : { ...scope, tenantIds: [], globalTenantIds: [tenantId, ...all] }
}

function own<T>(object: { readonly [key: string]: T }, key: string): T | undefined {
  return Object.hasOwn(object, key) ? object[key] : undefined
}

function remembered<T>(read: (key: string) => Promise<T>): (key: string) => Promise<T> {
  const known = new Map<string, Promise<T>>()
  return (key) => {
    const value = known.get(key) ?? read(key)
    known.set(key, value)
    return value
  }
}
