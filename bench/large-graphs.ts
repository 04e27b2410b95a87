/**
 * `node scripts/with-node.mjs bench/large-graphs.ts`: installs and uninstalls large deployments with two workers on one
 * database, and says how long that took, how often an execution changed its owner, and how long the event loops of the
 * workers were held up at most.
 *
 *   --instances N      instances of the one node template of the first blueprint; 20000 by default
 *   --templates N      node templates of the second one; 20000 by default; 0: without it
 *   --profile FOLDER   CPU profiles of the workers
 */
import { parseArgs } from 'node:util'
import type { Execution } from '@tutti/api'
import { manyTemplates } from './blueprints/templates.ts'
import { tieredBlueprint } from './blueprints/tiers.ts'
import { uploadBlueprint } from './blueprints/upload.ts'
import { query } from './database.ts'
import { benchFolder } from './folder.ts'
import { startManager } from './manager.ts'
import { peakMemoryMb } from './memory.ts'
import { round } from './statistics.ts'
import { type BenchWorker, startWorker } from './worker.ts'

const { values } = parseArgs({
  options: {
    instances: { type: 'string', default: '20000' },
    templates: { type: 'string', default: '20000' },
    profile: { type: 'string' },
  },
})

const folder = await benchFolder()
const manager = await startManager({ dataFolder: folder.path, roles: 'api' })
const workers: BenchWorker[] = []
try {
  for (const name of ['worker-1', 'worker-2']) workers.push(await startWorker(manager, name, values.profile))
  console.log(
    '| | | seconds | lease owners | longest stall, ms (of the garbage collector) | most memory of a worker, MB |',
  )
  console.log('|---|---|---:|---:|---:|---:|')
  const instances = Number(values.instances)
  if (instances > 0)
    await bench(`${instances} instances`, 'instances', tieredBlueprint(1, instances, undefined))
  const templates = Number(values.templates)
  if (templates > 0) await bench(`${templates} node templates`, 'templates', manyTemplates(templates))
} finally {
  await Promise.all(workers.map((worker) => worker.stop()))
  await manager.stop()
  await folder.remove()
}

async function bench(title: string, id: string, blueprint: string): Promise<void> {
  const { client } = manager
  await measured(title, 'upload', { workflow_id: 'upload_blueprint' }, async () => {
    await uploadBlueprint(client, id, { 'blueprint.yaml': blueprint })
  })
  await readPlan(title, id)
  await measured(
    title,
    'create',
    { deployment_id: id, workflow_id: 'create_deployment_environment' },
    async () => {
      await client.deployments.create(id, { blueprintId: id })
    },
  )
  for (const workflowId of ['install', 'uninstall']) {
    await measured(title, workflowId, { deployment_id: id, workflow_id: workflowId }, async () => {
      await client.executions.start({ deploymentId: id, workflowId })
    })
  }
}

/** As a client reads the blueprint: its plan is written out while it is sent. The memory is the manager's. */
async function readPlan(title: string, id: string): Promise<void> {
  const startedAt = performance.now()
  const headers = { authorization: manager.authorization, tenant: 'default_tenant' }
  const { body } = await fetch(`${manager.url}/api/v3.1/blueprints/${id}`, { headers })
  if (body === null) throw new Error('an answer without a body')
  let bytes = 0
  for await (const piece of body) bytes += piece.length
  const seconds = round((performance.now() - startedAt) / 1000, 1)
  const memory = await peakMemoryMb(manager.pid)
  console.log(`| ${title} | read the plan, ${round(bytes / 2 ** 20, 1)} MB | ${seconds} | | | ${memory} |`)
}

async function measured(
  title: string,
  name: string,
  which: Readonly<Record<string, string>>,
  start: () => Promise<unknown>,
): Promise<void> {
  const stall = async () => {
    const stalls = await Promise.all(workers.map((worker) => worker.longestStall()))
    const [longest] = stalls.sort((a, b) => b.ms - a.ms)
    return `${longest?.ms} (${longest?.collectionMs})`
  }
  await stall()
  const startedAt = performance.now()
  await start()
  const { id, status, error } = await ended(which)
  const seconds = round((performance.now() - startedAt) / 1000, 1)
  // The worker writes its stalls down every half second.
  await new Promise((resolve) => setTimeout(resolve, 1_000))
  const [row] = await query(folder.path, `select lease_fence from executions where id = '${id}'`)
  const memory = Math.max(...(await Promise.all(workers.map(({ pid }) => peakMemoryMb(pid)))))
  const said = status === 'terminated' ? name : `${name}: ${status}, ${error?.split('\n')[0]}`
  console.log(`| ${title} | ${said} | ${seconds} | ${row?.lease_fence} | ${await stall()} | ${memory} |`)
}

async function ended(which: Readonly<Record<string, string>>): Promise<Execution> {
  for (;;) {
    const [execution] = (
      await manager.client.executions.list({
        query: { ...which, _include_system_workflows: true, _sort: '-created_at', _size: 1 },
      })
    ).items
    if (execution !== undefined && ['terminated', 'failed', 'cancelled'].includes(execution.status)) {
      return execution
    }
    await new Promise((resolve) => setTimeout(resolve, 200))
  }
}
