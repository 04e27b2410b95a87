import { join } from 'node:path'
import { openDatabase } from '@tutti/storage'
import { createTestDatabase } from '@tutti/storage/testing'
import { expect, test } from 'vitest'
import {
  expectNotRepeated,
  expectWholeInstall,
  recordedSuccesses,
  startCounts,
} from './crash/nothing-lost.ts'
import { processesWith } from './crash/process-table.ts'
import { recordedBlueprint } from './crash/recorded-blueprint.ts'
import { atSite, type Site } from './crash/site.ts'
import { clientOf, freePort, type TuttiProcess, untilReady } from './crash/tutti-process.ts'
import { until } from './crash/until.ts'

/** A minute on an idle machine with 2 cores; several on a busy one. */
const timeoutMs = 300_000

const executions = 12
const leaseSeconds = 3

const untilWorking = (worker: TuttiProcess): Promise<boolean> =>
  until('a worker', 60_000, async () => (await worker.log()).includes('Tutti works'))

/** A manager without a worker of its own, and two workers, on a database that none of them started. */
async function startCluster(site: Site, databaseUrl: string) {
  const port = await freePort()
  const variables = { TUTTI_DATABASE_URL: databaseUrl, TUTTI_LEASE_SECONDS: String(leaseSeconds) }
  const startWorker = (name: string) =>
    site.start(
      name,
      ['worker', '--data-folder', join(site.folder, name), '--manager-url', `http://127.0.0.1:${port}`],
      // Too few for everything at once, so that there is something left to hand over.
      { ...variables, TUTTI_MAX_CONCURRENT_OPERATIONS: '4' },
    )
  // All three at once: whoever is first makes the tables of the queue.
  const api = site.start(
    'api',
    ['serve', '--roles', 'api', '--data-folder', join(site.folder, 'api'), '--port', String(port)],
    variables,
  )
  const workers = [startWorker('worker-1'), startWorker('worker-2')] as const
  await untilReady(port, api)
  for (const worker of workers) await untilWorking(worker)
  return { api, client: clientOf(port), workers }
}

test(
  'two workers share executions, and each goes on with what the other one leaves',
  () =>
    atSite(async (site) => {
      const own = await createTestDatabase()
      const database = openDatabase({ ...own.connection, max: 2 })
      const { db } = database
      try {
        const { api, client, workers } = await startCluster(site, own.connectionString)
        const blueprint = await recordedBlueprint(site.folder, { instances: 1, workSeconds: 0.5 })
        await blueprint.upload(client)
        const names = Array.from({ length: executions }, (_none, index) => `app-${index}`)
        for (const name of names) await client.deployments.create(name, { blueprintId: 'recorded' })
        const started = await Promise.all(
          names.map((deploymentId) => client.executions.start({ deploymentId, workflowId: 'install' })),
        )
        const ids = started.map(({ id }) => id)
        const heldBy = async (worker: TuttiProcess) => {
          const rows = await db
            .selectFrom('executions')
            .select(['id', 'lease_owner'])
            .where('id', 'in', ids)
            .where('status', '=', 'started')
            .execute()
          return rows
            .filter((row) => row.lease_owner?.split('/')[1] === String(worker.pid))
            .map(({ id }) => id)
        }

        const [first, second] = workers
        await until('work on both workers', 30_000, async () => {
          return (await heldBy(first)).length > 0 && (await heldBy(second)).length > 0
        })
        console.log(
          `two workers: ${(await heldBy(first)).length} and ${(await heldBy(second)).length} executions`,
        )
        await until('some recorded operations', 30_000, async () => {
          return (await recordedSuccesses(db, blueprint.starts)).size > executions
        })

        // Killed: the other one waits for the lease to run out.
        const ofFirst = await heldBy(first)
        first.kill('SIGKILL')
        await first.ended
        const killedAt = performance.now()
        const recorded = await recordedSuccesses(db, blueprint.starts)
        await until('the killed worker’s executions on the other one', 15_000, async () => {
          const held = new Set(await heldBy(second))
          return ofFirst.every((id) => held.has(id))
        })
        const killedMs = Math.round(performance.now() - killedAt)
        console.log(`two workers: ${ofFirst.length} executions taken over ${killedMs} ms after kill -9`)
        expect(ofFirst.length).toBeGreaterThan(0)

        // Asked to stop: it hands over at once.
        const third = site.start(
          'worker-3',
          ['worker', '--data-folder', join(site.folder, 'worker-3'), '--manager-url', client.connection.url],
          { TUTTI_DATABASE_URL: own.connectionString, TUTTI_LEASE_SECONDS: '60' },
        )
        await untilWorking(third)
        const ofSecond = await heldBy(second)
        const stoppedAt = performance.now()
        second.kill('SIGTERM')
        expect(await second.ended).toEqual({ code: 0, signal: null })
        const stoppedMs = Math.round(performance.now() - stoppedAt)
        const beforeStop = await recordedSuccesses(db, blueprint.starts)
        await until('the stopped worker’s executions on the third', 15_000, async () => {
          const open = await db
            .selectFrom('executions')
            .select('id')
            .where('status', '=', 'started')
            .execute()
          const held = new Set(await heldBy(third))
          return open.every(({ id }) => held.has(id))
        })
        const handedMs = Math.round(performance.now() - stoppedAt)
        console.log(
          `two workers: ${ofSecond.length} executions; the worker ended ${stoppedMs} ms and the next one had all ` +
            `${handedMs} ms after SIGTERM`,
        )

        for (const id of ids) expect((await client.executions.follow(id)).status).toBe('terminated')
        const starts = await blueprint.starts()
        expectNotRepeated(recorded, starts)
        expectNotRepeated(beforeStop, starts)
        // The stopped worker waited for what ran on it: only the killed one's were run twice.
        const repeated = [...startCounts(starts).values()].filter((count) => count > 1)
        expect(repeated.length).toBeLessThanOrEqual(4)
        for (const [index, name] of names.entries()) {
          const { items } = await client.nodeInstances.list({ query: { deployment_id: name } })
          const instances = new Set(items.map(({ id }) => id))
          await expectWholeInstall(
            client,
            ids[index] ?? '',
            name,
            starts.filter((one) => instances.has(one.instanceId)),
          )
        }
        for (const one of [third, api]) {
          one.kill('SIGTERM')
          expect(await one.ended).toEqual({ code: 0, signal: null })
        }
        expect(await processesWith(site.marker)).toEqual([])
      } finally {
        await database.close()
        await own.drop()
      }
    }),
  timeoutMs,
)
