import { connect } from 'node:net'
import type { ClusterStatus, NodeStatus, NodeTypeStatus } from '@tutti/api'
import { type Database, listProcesses, type ProcessRole, type ProcessRow } from '@tutti/storage'
import type { Services } from '../services.ts'
import { apiVersionNumber } from '../version.ts'
import { type Instance, metric, nodeService, nodeStatus, typeStatus, worst } from './health.ts'
import { countWaitingJobs, type ManagerRow, readDatabaseNodes, readManagers } from './queries.ts'
import { dbNode, findOwnBroker, listBrokers } from './service.ts'

/**
 * How every node of the cluster is (docs/reference/cluster-and-configuration.md, "Cluster status"): what is dead ages
 * into Inactive, then fails its node.
 */
export async function readClusterStatus({ db, now }: Services): Promise<ClusterStatus> {
  const [managers, processes] = await Promise.all([readManagers(db), listProcesses(db)])
  const at = now()
  const services = {
    manager: managerStatus(managers, processes),
    broker: await brokerStatus(db, at),
    db: await databaseStatus(db, managers[0], at),
  }
  return { status: worst(Object.values(services).map(({ status }) => status)), services }
}

/**
 * Managers, and the machines that only have workers. Any worker serves all managers: those are as well as it is, and
 * without any worker none of them is.
 */
function managerStatus(managers: readonly ManagerRow[], processes: readonly ProcessRow[]): NodeTypeStatus {
  const nodes = Object.fromEntries([
    ...managers.map((manager) => [manager.hostname, managerNode(manager, processes)] as const),
    ...workersAlone(managers, processes),
  ])
  return typeStatus(nodes, { quorum: 'one', isExternal: false })
}

function managerNode(manager: ManagerRow, processes: readonly ProcessRow[]): NodeStatus {
  const { hostname, private_ip, public_ip, version, last_seen, isAlive } = manager
  const here = processes.filter((process) => process.hostname === hostname)
  const own = instancesOf(here, 'api', { id: hostname, description: hostname, isRunning: isAlive })
  const [workers, schedulers] = (['worker', 'scheduler'] as const).map((role) => instancesOf(processes, role))
  return nodeStatus({
    version,
    public_ip,
    private_ip,
    services: {
      Webserver: nodeService('Webserver', own),
      'Manager REST': nodeService('Manager REST', own),
      'Cloudify API': nodeService('Cloudify API', own),
      'Management Worker': nodeService('Management Worker', workers ?? []),
      'Cloudify Execution Scheduler': nodeService('Cloudify Execution Scheduler', schedulers ?? []),
    },
    metrics: last_seen === null ? [] : [metric('manager', 'heartbeat', isAlive, last_seen)],
  })
}

function workersAlone(managers: readonly ManagerRow[], processes: readonly ProcessRow[]) {
  const known = new Set(managers.map(({ hostname }) => hostname))
  const byHost = new Map<string, ProcessRow[]>()
  for (const process of processes) {
    if (known.has(process.hostname)) continue
    byHost.set(process.hostname, [...(byHost.get(process.hostname) ?? []), process])
  }
  return [...byHost].map(([hostname, here]) => {
    const address = here[0]?.address ?? null
    return [
      hostname,
      nodeStatus({
        version: apiVersionNumber,
        public_ip: address,
        private_ip: address,
        services: { 'Management Worker': nodeService('Management Worker', instancesOf(here, 'worker')) },
        metrics: here.map(({ id, isAlive, lastSeen }) =>
          metric('worker', `heartbeat ${id}`, isAlive, lastSeen),
        ),
      }),
    ] as const
  })
}

function instancesOf(
  processes: readonly ProcessRow[],
  role: ProcessRole,
  ...others: readonly Instance[]
): readonly Instance[] {
  const found = processes
    .filter(({ roles }) => roles.includes(role))
    .map(({ id, hostname, version, isAlive }) => ({
      id,
      description: `Tutti ${version} on ${hostname}`,
      isRunning: isAlive,
    }))
  return found.length === 0 ? others : found
}

/** The queue is what a broker is elsewhere; one that somebody has added is well when it takes a connection. */
async function brokerStatus(db: Database, at: Date): Promise<NodeTypeStatus> {
  const [own, brokers] = await Promise.all([findOwnBroker(db), listBrokers(db)])
  const nodes = await Promise.all(
    brokers.map(async ({ name, host, port }) => {
      const [what, isWell] =
        name === own?.name
          ? (['Execution Queue', await answers(() => countWaitingJobs(db))] as const)
          : (['RabbitMQ Broker', await answers(() => openConnection(host, port))] as const)
      const node = nodeStatus({
        version: apiVersionNumber,
        public_ip: host,
        private_ip: host,
        services: { [what]: nodeService(what, [{ id: name, description: what, isRunning: isWell }]) },
        metrics: [metric('broker', 'connection', isWell, at)],
      })
      return [name, node] as const
    }),
  )
  return typeStatus(Object.fromEntries(nodes), { quorum: 'majority', isExternal: false })
}

async function databaseStatus(
  db: Database,
  manager: ManagerRow | undefined,
  at: Date,
): Promise<NodeTypeStatus> {
  const found = await readDatabaseNodes(db)
  const nodes = found.map((row) => {
    const { name, host } = dbNode(row, manager)
    const service = `PostgreSQL ${Number.parseInt(row.version, 10)} database server`
    const instance = { id: name, description: `PostgreSQL ${row.version}`, isRunning: row.isAlive }
    const node = nodeStatus({
      version: row.version,
      public_ip: host,
      private_ip: host,
      services: { [service]: nodeService(service, [instance]) },
      metrics: [metric('db', 'connection', row.isAlive, at)],
    })
    return [name, node] as const
  })
  const isExternal = found.some(({ host }) => host !== null)
  return typeStatus(Object.fromEntries(nodes), { quorum: 'majority', isExternal })
}

async function answers(look: () => Promise<unknown>): Promise<boolean> {
  return look().then(
    () => true,
    () => false,
  )
}

const connectTimeoutMs = 1_000

function openConnection(host: string, port: number): Promise<void> {
  return new Promise((resolve, reject) => {
    const socket = connect({ host, port, timeout: connectTimeoutMs }, () => {
      socket.destroy()
      resolve()
    })
    socket.on('timeout', () => socket.destroy(new Error('no answer')))
    socket.on('error', reject)
  })
}
