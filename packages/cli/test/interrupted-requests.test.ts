import { join } from 'node:path'
import { setTimeout as delay } from 'node:timers/promises'
import { type Client, ClientError, ConnectionError, isNotFound } from '@tutti/client'
import { expect, test } from 'vitest'
import { processesWith, warmParentsWith } from './crash/process-table.ts'
import { levels, recordedBlueprint } from './crash/recorded-blueprint.ts'
import { seededRandom } from './crash/seed.ts'
import { atSite } from './crash/site.ts'
import { clientOf, freePort, untilReady } from './crash/tutti-process.ts'
import { until } from './crash/until.ts'

/** A minute on an idle machine with 2 cores; several on a busy one. */
const timeoutMs = 300_000

const rounds = 1
const instances = 4

/** Each of them is either not there at all after the crash, and can be sent again, or comes to its whole end. */
test(
  'uploads, creations, cancellations and deletions survive that the manager is killed meanwhile',
  () =>
    atSite(async (site) => {
      const random = seededRandom('interrupted requests')
      const port = await freePort()
      const client = clientOf(port)
      const serve = () =>
        site.start('serve', ['serve', '--data-folder', join(site.folder, 'data'), '--port', String(port)])
      let server = serve()
      await untilReady(port, server)
      const blueprint = await recordedBlueprint(site.folder, { instances, workSeconds: 0.5 })
      const source = { kind: 'folder', path: blueprint.folder, mainFile: undefined } as const

      /** Sends a request, kills the manager around the time of its answer, and starts the next one. */
      const interrupted = async (request: () => Promise<unknown>): Promise<void> => {
        const sent = request().catch(expectUnanswered)
        await delay(random() * 400)
        server.kill('SIGKILL')
        await Promise.all([server.ended, sent])
        server = serve()
        await untilReady(port, server)
      }

      for (let round = 1; round <= rounds; round += 1) {
        const id = `app-${round}`
        const upload = () => client.blueprints.upload(id, source, { isAsync: true })
        await interrupted(upload)
        if (await isMissing(client.blueprints.get(id))) await upload()
        expect(await client.blueprints.waitUntilUploaded(id)).toMatchObject({
          state: 'uploaded',
          error: null,
        })

        const create = () => client.deployments.create(id, { blueprintId: id, isAsync: true })
        await interrupted(create)
        if (await isMissing(client.deployments.get(id))) await create()
        const { create_execution } = await client.deployments.get(id)
        await expectOneEnd(client, create_execution ?? '', 'terminated')
        const { items } = await client.nodeInstances.list({ query: { deployment_id: id } })
        expect(items).toHaveLength(levels.length * instances)

        const install = () => client.executions.start({ deploymentId: id, workflowId: 'install' })
        const installations = async () =>
          (await client.executions.list({ query: { deployment_id: id, workflow_id: 'install' } })).items
        await interrupted(install)
        if ((await installations()).length === 0) await install()
        const [installation] = await installations()
        expect(await installations()).toHaveLength(1)
        // The next worker may not even have it yet.
        await client.executions.act(installation?.id ?? '', 'cancel')
        await expectOneEnd(client, installation?.id ?? '', 'cancelled')
        await until('the end of its operations', 10_000, async () => {
          const idle = new Set((await warmParentsWith(site.marker)).map(({ pid }) => pid))
          return (await processesWith(site.marker)).every(({ pid }) => pid === server.pid || idle.has(pid))
        })

        const remove = () => client.deployments.delete(id, { force: true })
        await interrupted(remove)
        // Sent again in any case: a deletion that goes on meanwhile refuses it, one that is done finds nothing.
        await remove().catch((error: unknown) => {
          if (!(error instanceof ClientError) || error.status >= 500) throw error
        })
        expect(await client.deployments.waitUntilDeleted(id)).toBe(undefined)
        expect((await client.nodeInstances.list({ query: { deployment_id: id } })).items).toEqual([])
        await client.blueprints.delete(id)
      }
    }),
  timeoutMs,
)

/** The manager went before it answered, or just after. */
function expectUnanswered(error: unknown): void {
  if (error instanceof ConnectionError || (error instanceof ClientError && error.status === 503)) return
  throw error
}

async function isMissing(answer: Promise<unknown>): Promise<boolean> {
  return answer.then(
    () => false,
    (error: unknown) => {
      if (isNotFound(error)) return true
      throw error
    },
  )
}

async function expectOneEnd(client: Client, executionId: string, status: string): Promise<void> {
  const types: string[] = []
  const execution = await client.executions.follow(executionId, {
    onEvent: ({ event_type }) => types.push(event_type ?? ''),
  })
  expect(execution.status, execution.error ?? '').toBe(status)
  const end = status === 'terminated' ? 'workflow_succeeded' : `workflow_${status}`
  for (const type of ['workflow_started', end]) {
    // One that was cancelled before anybody had begun it was never started.
    const count = types.filter((one) => one === type).length
    expect(count, type).toBe(status === 'cancelled' && type === 'workflow_started' ? Math.min(count, 1) : 1)
  }
}
