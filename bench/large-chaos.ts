/**
 * `node scripts/with-node.mjs bench/large-chaos.ts`: installs and uninstalls a large deployment with two workers on one
 * database, and kills the worker that is at it (`kill -9`) again and again; another one is started in its place. Ends
 * with an error unless everything ends as it should, with one change of the owner for each kill.
 *
 *   --instances N   20000 by default
 *   --kills N       of each workflow; 3 by default
 *   --seed N        of the moments at which they come
 */
import { parseArgs } from 'node:util'
import { tieredBlueprint } from './blueprints/tiers.ts'
import { uploadBlueprint } from './blueprints/upload.ts'
import { query } from './database.ts'
import { benchFolder } from './folder.ts'
import { startManager } from './manager.ts'
import { round } from './statistics.ts'
import { type BenchWorker, startWorker } from './worker.ts'

const { values } = parseArgs({
  options: {
    instances: { type: 'string', default: '20000' },
    kills: { type: 'string', default: '3' },
    seed: { type: 'string', default: String(Date.now() % 1_000_000) },
  },
})
const instances = Number(values.instances)
const id = 'large'
/** A worker has the execution for so long at least, and for so much longer at most, before it is killed. */
const pauseMs = { least: 500, more: 8_000 }

let seed = Number(values.seed)
function random(): number {
  seed = (seed * 1_103_515_245 + 12_345) % 2 ** 31
  return seed / 2 ** 31
}

const delay = (ms: number) => new Promise((resolve) => setTimeout(resolve, ms))

const folder = await benchFolder()
const manager = await startManager({ dataFolder: folder.path, roles: 'api' })
const workers = new Map<number, BenchWorker>()
let names = 0
try {
  console.log(`${instances} instances, seed ${values.seed}`)
  for (let count = 0; count < 2; count += 1) await addWorker()
  await uploadBlueprint(manager.client, id, { 'blueprint.yaml': tieredBlueprint(1, instances, undefined) })
  await manager.client.deployments.create(id, { blueprintId: id })
  await untilEnded(`workflow_id = 'create_deployment_environment'`)
  await survive('install', 'started')
  await survive('uninstall', 'deleted')
} finally {
  await Promise.all([...workers.values()].map((worker) => worker.stop()))
  await manager.stop()
  await folder.remove()
}

async function addWorker(): Promise<void> {
  names += 1
  const worker = await startWorker(manager, `worker-${names}`, undefined)
  workers.set(worker.pid, worker)
}

/** Runs the workflow to its end, whoever is killed on the way. */
async function survive(workflowId: string, state: string): Promise<void> {
  const startedAt = performance.now()
  const { id: executionId } = await manager.client.executions.start({ deploymentId: id, workflowId })
  let kills = 0
  while (kills < Number(values.kills)) {
    const held = await untilHeld(executionId)
    if (held === undefined) break
    await delay(pauseMs.least + random() * pauseMs.more)
    const { isEnded, pid, operations } = await stateOf(executionId)
    const victim = workers.get(pid ?? 0)
    if (isEnded || victim === undefined) break
    workers.delete(victim.pid)
    await victim.kill()
    // It may have stored the end before it died.
    if ((await stateOf(executionId)).isEnded) break
    kills += 1
    console.log(`${workflowId}: kill ${kills} at ${seconds(startedAt)} s, with ${operations} operations done`)
    await addWorker()
  }
  await untilEnded(`id = '${executionId}'`)
  const [row] = await query(
    folder.path,
    `select status, error, lease_fence - 1 as changes, total_operations = finished_operations as "isDone",
      (select count(*) from node_instances where deployment_id = '${id}' and state = '${state}') as instances
    from executions where id = '${executionId}'`,
  )
  console.log(
    `${workflowId}: ${row?.status} after ${seconds(startedAt)} s, ${kills} kills, ${row?.changes} changes of the owner`,
  )
  const isRight =
    row?.status === 'terminated' &&
    row.isDone === true &&
    Number(row.instances) === instances &&
    Number(row.changes) === kills
  if (!isRight) throw new Error(`${workflowId} did not end as it should: ${JSON.stringify(row)}`)
}

function seconds(sinceMs: number): number {
  return round((performance.now() - sinceMs) / 1_000, 1)
}

async function stateOf(executionId: string) {
  const [row] = await query(
    folder.path,
    `select status in ('terminated', 'failed', 'cancelled') as "isEnded", finished_operations as operations,
      split_part(lease_owner, '/', 2) as pid, lease_expires_at > clock_timestamp() as "isHeld"
    from executions where id = '${executionId}'`,
  )
  return {
    isEnded: row?.isEnded === true,
    isHeld: row?.isHeld === true,
    operations: Number(row?.operations),
    pid: row?.pid == null ? undefined : Number(row.pid),
  }
}

/** Resolves when a worker that lives has it; undefined when it has ended. */
async function untilHeld(executionId: string): Promise<number | undefined> {
  for (;;) {
    const { isEnded, isHeld, pid } = await stateOf(executionId)
    if (isEnded) return undefined
    if (isHeld && pid !== undefined && workers.has(pid)) return pid
    await delay(100)
  }
}

async function untilEnded(which: string): Promise<void> {
  for (;;) {
    const rows = await query(
      folder.path,
      `select id from executions where ${which} and status in ('terminated', 'failed', 'cancelled')`,
    )
    if (rows.length > 0) return
    await delay(200)
  }
}
