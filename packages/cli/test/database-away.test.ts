import { chmod, mkdir } from 'node:fs/promises'
import { join } from 'node:path'
import { openDatabase, startEmbeddedPostgres } from '@tutti/storage'
import { expect, test } from 'vitest'
import { expectNotRepeated, expectWholeInstall, recordedSuccesses } from './crash/nothing-lost.ts'
import { childrenOf, killProcess, processesWith, warmParentsWith } from './crash/process-table.ts'
import { recordedBlueprint } from './crash/recorded-blueprint.ts'
import { atSite } from './crash/site.ts'
import { clientOf, freePort, untilReady } from './crash/tutti-process.ts'
import { until } from './crash/until.ts'

/** A minute on an idle machine with 2 cores; several on a busy one. */
const timeoutMs = 300_000

/**
 * A worker cannot know whether its database is gone or only out of its own reach, where another worker goes on with
 * its executions. So what it runs must end when its leases do.
 */
test(
  'workers whose database stays away end what they run, and go on when it is back',
  () =>
    atSite(async (site) => {
      const home = join(site.folder, 'database')
      await mkdir(home)
      await chmod(home, 0o711)
      const startServer = () =>
        startEmbeddedPostgres({ dataFolder: home, log: () => undefined, settings: { fsync: 'off' } })
      let server = await startServer()
      const database = openDatabase({ ...server.connection, max: 1 })
      const port = await freePort()
      const client = clientOf(port)
      const variables = { TUTTI_DATABASE_URL: server.connectionString, TUTTI_LEASE_SECONDS: '2' }
      const start = (name: string, args: readonly string[]) =>
        site.start(name, [...args, '--data-folder', join(site.folder, name)], variables)
      const worker = (name: string) => start(name, ['worker', '--manager-url', client.connection.url])
      try {
        const api = start('api', ['serve', '--roles', 'api', '--port', String(port)])
        const workers = [worker('worker-1'), worker('worker-2')] as const
        await untilReady(port, api)
        const blueprint = await recordedBlueprint(site.folder, { instances: 4, workSeconds: 1 })
        await blueprint.upload(client)
        await client.deployments.create('app', { blueprintId: 'recorded' })
        const { id } = await client.executions.start({ deploymentId: 'app', workflowId: 'install' })
        await until('recorded operations', 30_000, async () => {
          return (await recordedSuccesses(database.db, blueprint.starts)).size > 3
        })

        const whenNothingRuns = () =>
          until('the end of what ran', 20_000, async () => {
            const alive = new Set((await processesWith(site.marker)).map(({ pid }) => pid))
            const idle = await warmParentsWith(site.marker)
            for (const { pid } of [api, ...workers, ...idle]) alive.delete(pid)
            return alive.size === 0
          })

        // Out of reach: what was asked gets no answer at all.
        const postmaster = server.pid ?? 0
        // Itself first, so that it makes no more.
        killProcess(postmaster, 'SIGSTOP')
        const children = (await childrenOf(postmaster)).map(({ pid }) => pid)
        for (const pid of children) killProcess(pid, 'SIGSTOP')
        const haltedAt = performance.now()
        await whenNothingRuns().finally(() => {
          for (const pid of [postmaster, ...children]) killProcess(pid, 'SIGCONT')
        })
        console.log(`database away: without an answer operations ended after ${msSince(haltedAt)} ms`)
        const seen = (await blueprint.starts()).length
        const recordedBefore = await recordedSuccesses(database.db, blueprint.starts)
        await until('an operation', 20_000, async () => (await blueprint.starts()).length > seen)

        await server.stop()
        const stoppedAt = performance.now()
        await whenNothingRuns()
        console.log(`database away: without a server operations ended after ${msSince(stoppedAt)} ms`)
        const before = await blueprint.starts()

        // One that is asked to stop meanwhile stops, though it cannot give its leases back.
        workers[1].kill('SIGTERM')
        expect((await workers[1].ended).signal).toBe(null)
        expect(workers[0].isRunning).toBe(true)
        expect(api.isRunning).toBe(true)
        const answer = await fetch(`${client.connection.url}/readyz`)
        expect(answer.status).toBe(503)

        server = await startServer()
        const backAt = performance.now()
        const recorded = await until('the database', 20_000, async () =>
          recordedSuccesses(database.db, blueprint.starts),
        )
        await until('an operation', 20_000, async () => (await blueprint.starts()).length > before.length)
        console.log(`database away: next operation ${msSince(backAt)} ms after it was back`)
        const execution = await client.executions.follow(id)
        expect(execution.status, execution.error ?? '').toBe('terminated')
        const starts = await blueprint.starts()
        for (const known of [recordedBefore, recorded]) expectNotRepeated(known, starts)
        await expectWholeInstall(client, id, 'app', starts)
        for (const one of [workers[0], api]) {
          one.kill('SIGTERM')
          expect(await one.ended).toEqual({ code: 0, signal: null })
        }
      } finally {
        await database.close()
        await server.stop()
      }
    }),
  timeoutMs,
)

const msSince = (atMs: number): number => Math.round(performance.now() - atMs)
