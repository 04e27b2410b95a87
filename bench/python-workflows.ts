/**
 * `node scripts/with-node.mjs bench/python-workflows.ts`: what a workflow in Python costs beside a built-in one, and what
 * graphs made by hand cost.
 *
 *   --instances N   node instances that are installed, without operations; 1000 by default
 *   --tasks N       of a graph made by hand; 10000 by default
 *   --waiting N     workflows that wait at the same time; 100 by default
 */
import { readdir, readFile } from 'node:fs/promises'
import { parseArgs } from 'node:util'
import type { Client } from '@tutti/client'
import { tieredBlueprint } from './blueprints/tiers.ts'
import { uploadBlueprint } from './blueprints/upload.ts'
import { benchFolder } from './folder.ts'
import { startManager } from './manager.ts'
import { proportionalMb } from './memory.ts'

const { values } = parseArgs({
  options: {
    instances: { type: 'string', default: '1000' },
    tasks: { type: 'string', default: '10000' },
    waiting: { type: 'string', default: '100' },
  },
})

const scripts = {
  'lifecycle.py': `
from cloudify.plugins import lifecycle
from cloudify.workflows import ctx
lifecycle.install_node_instances(ctx.graph_mode(), set(ctx.node_instances))
`,
  'events.py': graphOf("ctx.send_event('one of many')"),
  'local.py': graphOf("ctx.local_task(nothing, name='nothing', send_task_events=False)"),
  'sequential.py': `
from cloudify.workflows import ctx
for _ in range(${Math.ceil(Number(values.tasks) / 10)}):
    ctx.send_event('one of many').get()
`,
  'waits.py': `
import time
from cloudify.workflows import api
while not api.has_cancel_request():
    time.sleep(1)
`,
}

function graphOf(task: string): string {
  return `
from cloudify.workflows import ctx
def nothing():
    pass
graph = ctx.graph_mode()
before = None
for number in range(${values.tasks}):
    task = ${task}
    graph.add_task(task)
    if before is not None and number % 10:
        graph.add_dependency(task, before)
    before = task
graph.execute()
`
}

const folder = await benchFolder()
const manager = await startManager({ dataFolder: folder.path })
const { client } = manager
try {
  const workflows = Object.keys(scripts).map((name) => `  ${name.slice(0, -3)}: { mapping: ${name} }\n`)
  const tiers = tieredBlueprint(10, Math.ceil(Number(values.instances) / 10), undefined)
  await uploadBlueprint(client, 'flows', {
    'blueprint.yaml': `${tiers}workflows:\n${workflows.join('')}`,
    ...scripts,
  })
  console.log('| | seconds |')
  console.log('|---|---:|')
  for (const round of ['first', 'second', 'third']) {
    for (const workflow of ['install', 'lifecycle']) {
      const deployment = `${workflow}-${round}`
      await client.deployments.create(deployment, { blueprintId: 'flows' })
      show(
        `${values.instances} instances, ${workflow}, ${round}`,
        await secondsOf(client, deployment, workflow),
      )
    }
  }
  await client.deployments.create('graphs', { blueprintId: 'flows' })
  for (const workflow of ['events', 'local', 'sequential']) {
    show(
      `${workflow}, ${values.tasks} tasks (sequential: a tenth)`,
      await secondsOf(client, 'graphs', workflow),
    )
  }
  await waitTogether(Number(values.waiting))
} finally {
  await manager.stop()
  await folder.remove()
}

function show(what: string, seconds: number): void {
  console.log(`| ${what} | ${seconds.toFixed(2)} |`)
}

async function secondsOf(of: Client, deploymentId: string, workflowId: string): Promise<number> {
  const { id } = await of.executions.start({ deploymentId, workflowId })
  for (;;) {
    const { status, error, started_at: from, ended_at: to } = await of.executions.get(id)
    if (status === 'terminated') return (Date.parse(to ?? '') - Date.parse(from ?? '')) / 1000
    if (status === 'failed') throw new Error(`${workflowId} of ${deploymentId} failed: ${error}`)
    await new Promise((resolve) => setTimeout(resolve, 50))
  }
}

async function waitTogether(count: number): Promise<void> {
  const ids: string[] = []
  for (let one = 0; one < count; one += 1) {
    const started = await client.executions.start({
      deploymentId: 'graphs',
      workflowId: 'waits',
      force: true,
    })
    ids.push(started.id)
  }
  const mine = async () => (await forks()).length
  while ((await mine()) < count) await new Promise((resolve) => setTimeout(resolve, 200))
  const megabytes = await Promise.all((await forks()).map((pid) => proportionalMb(pid)))
  const all = megabytes.reduce((sum, one) => sum + one, 0)
  console.log(`| ${count} waiting workflows: MB of each process (PSS) | ${(all / count).toFixed(1)} |`)
  for (const id of ids) await client.executions.act(id, 'force-cancel')
}

/** Processes that have a parent of operations for their parent. */
async function forks(): Promise<readonly number[]> {
  const processes = await Promise.all(
    (await readdir('/proc'))
      .filter((name) => /^\d/.test(name))
      .map(async (name) => {
        const command = await readFile(`/proc/${name}/cmdline`, 'utf8').catch(() => '')
        const status = await readFile(`/proc/${name}/status`, 'utf8').catch(() => '')
        return { pid: Number(name), command, parent: Number(/^PPid:\t(\d+)/m.exec(status)?.[1]) }
      }),
  )
  const parents = new Set(
    processes.filter(({ command }) => command.includes('operations_parent')).map(({ pid }) => pid),
  )
  return processes.filter(({ parent }) => parents.has(parent)).map(({ pid }) => pid)
}
