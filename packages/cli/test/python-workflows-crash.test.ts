import { appendFile, readFile, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { setTimeout as delay } from 'node:timers/promises'
import { expect, test } from 'vitest'
import { expectNotRepeated, type Recorded, recordedSuccesses } from './crash/nothing-lost.ts'
import { oneBox, restarted } from './crash/one-box.ts'
import { killProcess, processesWith } from './crash/process-table.ts'
import { levels, operations, recordedBlueprint } from './crash/recorded-blueprint.ts'
import { seededRandom } from './crash/seed.ts'
import { atSite } from './crash/site.ts'
import { untilReady } from './crash/tutti-process.ts'
import { until } from './crash/until.ts'

/** Some 20 seconds each on an idle machine with 2 cores; several times that on a busy one. */
const timeoutMs = 600_000

/** Each does `create` and `start` of every instance. */
const workflows = {
  sequential: `
for instance in instances:
    for name in ('create', 'start'):
        instance.execute_operation(LIFECYCLE + name).get()
`,
  graph: `
from cloudify.workflows.tasks import HandlerResult
def done(task):
    return HandlerResult.cont()
graph = ctx.graph_mode()
for instance in instances:
    tasks = [instance.execute_operation(LIFECYCLE + name) for name in ('create', 'start')]
    for task in tasks:
        task.on_success = done
    graph.sequence().add(*tasks, ctx.local_task(lambda: None, name='between'))
graph.execute()
`,
  lifecycle: `
from cloudify.plugins import lifecycle
lifecycle.install_node_instances(ctx.graph_mode(), set(instances))
`,
} as const

const head = (pids: string) => `
import os
from cloudify.workflows import ctx
with open(${JSON.stringify(pids)}, 'a') as file:
    file.write('%d\\n' % os.getpid())
LIFECYCLE = 'cloudify.interfaces.lifecycle.'
instances = sorted(ctx.node_instances, key=lambda one: one.id)
`

const random = seededRandom('python workflows')
const names = Object.keys(workflows) as (keyof typeof workflows)[]
/** One in each run: each takes half a minute. */
const workflow = names[Math.floor(random() * names.length)] ?? 'graph'

test(
  `a workflow in Python (${workflow}) comes to its end, whether its process or its worker is killed`,
  () =>
    atSite(async (site) => {
      const box = await oneBox(site)
      const { port, client, database } = box
      try {
        const blueprint = await recordedBlueprint(site.folder, { instances: 1, workSeconds: 0.2 })
        const pids = join(site.folder, 'pids')
        await writeFile(pids, '')
        await writeFile(join(blueprint.folder, 'flow.py'), head(pids) + workflows[workflow])
        await appendFile(
          join(blueprint.folder, 'blueprint.yaml'),
          'workflows: { flow: { mapping: flow.py } }\n',
        )
        let server = box.serve()
        await untilReady(port, server)
        await blueprint.upload(client)
        await client.deployments.create('app', { blueprintId: 'recorded' })
        const { id } = await client.executions.start({ deploymentId: 'app', workflowId: 'flow' })

        const before: Recorded[] = []
        const started = async () => (await blueprint.starts()).length
        for (const victim of random() < 0.5 ? ['process', 'worker'] : ['worker', 'process']) {
          const seen = await started()
          const isOver = async () =>
            !['pending', 'started'].includes((await client.executions.get(id)).status)
          await until('another operation', 120_000, async () => (await started()) > seen || (await isOver()))
          await delay(random() * 300)
          before.push(await recordedSuccesses(database.db, blueprint.starts))
          if (victim === 'worker') server = await restarted(site, box, server)
          else {
            const pid = Number((await readFile(pids, 'utf8')).trim().split('\n').at(-1))
            // Only what is this test's: the number may be another process's by now.
            const mine = await processesWith(site.marker)
            if (mine.some((one) => one.pid === pid)) killProcess(pid)
          }
        }
        const end = await client.executions.follow(id, { patienceMs: 120_000 })
        expect(end, end.error ?? '').toMatchObject({ status: 'terminated', error: '' })
        const starts = await blueprint.starts()
        for (const recorded of before) expectNotRepeated(recorded, starts)
        const done = new Set(starts.map(({ instanceId, operation }) => `${instanceId} ${operation}`))
        expect(done.size).toBe(levels.length * operations.length)
        // Each is one operation, however often its worker was lost.
        expect(new Set(starts.map(({ operationId }) => operationId)).size).toBe(done.size)
      } finally {
        await database.close()
      }
    }),
  timeoutMs,
)
