import { ApiError, type ClusterNode, notFound, pickIncluded } from '@tutti/api'
import type { Actor } from '../actor.ts'
import { deleteManager, type ManagerRow, readManagers } from './queries.ts'

/**
 * The cluster of API v3 (docs/reference/cluster-and-configuration.md, "Cluster of v3"): every manager of the same
 * database is in it, and all are equal.
 */
export async function readClusterState(
  { services }: Actor,
  include: readonly string[] | undefined,
): Promise<Readonly<Record<string, unknown>>> {
  const managers = await readManagers(services.db)
  if (managers.length < 2) return { initialized: false }
  const leader = managers.find(({ isAlive }) => isAlive)?.private_ip ?? null
  const shown = { initialized: true, consul: { leader } }
  // These two are shown to those who name them.
  return include === undefined ? shown : pickIncluded({ ...shown, error: null, logs: [] }, include)
}

export async function listClusterNodes({ services }: Actor): Promise<readonly ClusterNode[]> {
  const managers = await readManagers(services.db)
  return managers.map((manager) => clusterNode(manager, managers.length))
}

/** @throws not_found_error */
export async function getClusterNode(actor: Actor, name: string): Promise<ClusterNode> {
  const node = (await listClusterNodes(actor)).find((one) => one.name === name)
  if (node === undefined) throw notFound('ClusterNode', name)
  return node
}

/** Answers the node as it was. @throws not_found_error */
export async function removeClusterNode(actor: Actor, name: string): Promise<ClusterNode> {
  const node = await getClusterNode(actor, name)
  await deleteManager(actor.services.db, name)
  return node
}

/** Tutti's managers need no joining. */
export function notJoined(): ApiError {
  return new ApiError(
    'illegal_action_error',
    'Managers of Tutti form a cluster by using one database: there is nothing to start, join or configure here',
    { hint: 'Start another manager with TUTTI_DATABASE_URL set to the database of this one' },
  )
}

function clusterNode({ hostname, private_ip, isAlive }: ManagerRow, count: number): ClusterNode {
  return {
    master: isAlive,
    name: hostname,
    host_ip: private_ip,
    online: isAlive,
    initialized: count > 1,
    credentials: {},
  }
}
