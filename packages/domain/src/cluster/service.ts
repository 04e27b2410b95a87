import {
  ApiError,
  type Broker,
  badParameter,
  checkIdentifier,
  type DbNode,
  type ListQuery,
  notFound,
  type RouteBody,
} from '@tutti/api'
import { type Database, everything, listPage } from '@tutti/storage'
import type { Actor } from '../actor.ts'
import { answerItem } from '../owned.ts'
import {
  type BrokerRow,
  type DatabaseNode,
  deleteBroker,
  deleteManager,
  insertBroker,
  insertManager,
  managerResource,
  readBrokers,
  readDatabaseNodes,
  readManagers,
  setBrokerNetworks,
  setFileSyncNode,
} from './queries.ts'

/** Managers that run, and those that somebody has added (docs/reference/cluster-and-configuration.md, "Managers"). */
export const listManagers = ({ services }: Actor, list: ListQuery) =>
  listPage(services.db, managerResource, list, everything)

/** @throws not_found_error */
export const getManager = (actor: Actor, hostname: string, include?: readonly string[]) =>
  answerItem(actor, managerResource, hostname, include, everything)

/** @throws bad_parameters_error, conflict_error */
export async function createManager({ services }: Actor, body: RouteBody<'managers.create'>): Promise<void> {
  const { networks, ...rest } = body
  checkIdentifier('hostname', body.hostname)
  const manager = { ...rest, networks: networks ?? { default: body.private_ip } }
  if (await insertManager(services.db, manager)) return
  throw new ApiError('conflict_error', `Manager ${body.hostname} already exists`)
}

/** @throws not_found_error */
export async function changeManager(
  { services }: Actor,
  hostname: string,
  body: RouteBody<'managers.update'>,
): Promise<void> {
  if (await setFileSyncNode(services.db, hostname, body.fs_sync_node_id)) return
  throw notFound('Manager', hostname)
}

/** One that runs comes back when it is started again. @throws not_found_error */
export async function removeManager({ services }: Actor, hostname: string): Promise<void> {
  if (!(await deleteManager(services.db, hostname))) throw notFound('Manager', hostname)
}

const ownBrokerPort = 5671

/**
 * Tutti needs no broker: its queue is in the database. One is shown at the first manager's address, because clients
 * take equal addresses of manager, broker and database for an all-in-one manager
 * (docs/reference/cluster-and-configuration.md, "Brokers and database nodes"), and those that somebody has added beside
 * it.
 */
export async function listBrokers(db: Database): Promise<readonly Broker[]> {
  const [own, stored] = await Promise.all([findOwnBroker(db), readBrokers(db)])
  const changed = stored.find(({ name }) => name === own?.name)
  const added = stored.filter(({ name }) => name !== own?.name)
  const first = own === undefined ? [] : [{ ...own, networks: changed?.networks ?? own.networks }]
  return [...first, ...added].map(({ host, ...broker }) => ({
    ...broker,
    host,
    management_host: null,
    username: null,
    password: null,
    params: {},
    is_external: false,
    ca_cert_content: null,
  }))
}

/** The one that stands for the queue; undefined while no manager has registered. */
export async function findOwnBroker(db: Database): Promise<BrokerRow | undefined> {
  const [manager] = await readManagers(db)
  if (manager === undefined) return undefined
  const { hostname, private_ip } = manager
  return { name: hostname, host: private_ip, port: ownBrokerPort, networks: { default: private_ip } }
}

/** @throws bad_parameters_error, conflict_error */
export async function createBroker(actor: Actor, body: RouteBody<'brokers.create'>): Promise<Broker> {
  const { db } = actor.services
  const { address, name, port, networks } = body
  checkIdentifier('name', name)
  const broker = {
    name,
    host: address,
    port: port ?? ownBrokerPort,
    networks: networks ?? { default: address },
  }
  const isTaken = (await findOwnBroker(db))?.name === name || !(await insertBroker(db, broker))
  if (isTaken) throw new ApiError('conflict_error', `Broker ${name} already exists`)
  return getBroker(db, name)
}

/** @throws not_found_error */
export async function changeBroker(
  { services: { db } }: Actor,
  name: string,
  { networks }: RouteBody<'brokers.update'>,
): Promise<Broker> {
  const { host, port } = await getBroker(db, name)
  await setBrokerNetworks(db, { name, host, port, networks })
  return getBroker(db, name)
}

/** @throws illegal_action_error for the own one, not_found_error */
export async function removeBroker({ services: { db } }: Actor, name: string): Promise<void> {
  if ((await findOwnBroker(db))?.name === name) {
    throw new ApiError('illegal_action_error', `Broker ${name} is part of the manager and cannot be removed`)
  }
  if (!(await deleteBroker(db, name))) throw notFound('Broker', name)
}

async function getBroker(db: Database, name: string): Promise<Broker> {
  const broker = (await listBrokers(db)).find((one) => one.name === name)
  if (broker === undefined) throw notFound('Broker', name)
  return broker
}

/** The database's nodes as they are now: there is nothing that would have to be brought up to date. */
export async function listDatabaseNodes(db: Database): Promise<readonly DbNode[]> {
  const [manager] = await readManagers(db)
  const nodes = await readDatabaseNodes(db)
  return nodes.map((node) => dbNode(node, manager))
}

/** What is reached through a socket stands on the manager's own machine. */
export function dbNode(
  { name, host }: DatabaseNode,
  manager: { readonly hostname: string; readonly private_ip: string } | undefined,
): DbNode {
  if (host !== null || manager === undefined)
    return { name, host: host ?? '127.0.0.1', is_external: host !== null }
  return { name: manager.hostname, host: manager.private_ip, is_external: false }
}

/** Nothing is stored that could be brought up to date. @throws bad_parameters_error */
export async function updateDatabaseNodes({ services }: Actor, action: string): Promise<readonly DbNode[]> {
  if (action !== 'update') throw badParameter(`Invalid action: ${action}, Valid action values are: update`)
  return listDatabaseNodes(services.db)
}
