import { setTimeout as delay } from 'node:timers/promises'
import { expect, test } from 'vitest'
import { expectWholeInstall } from './crash/nothing-lost.ts'
import { oneBox } from './crash/one-box.ts'
import { killProcess, processesWith, warmParentsWith } from './crash/process-table.ts'
import { recordedBlueprint } from './crash/recorded-blueprint.ts'
import { seededRandom } from './crash/seed.ts'
import { atSite } from './crash/site.ts'
import { untilReady } from './crash/tutti-process.ts'
import { until } from './crash/until.ts'

const timeoutMs = 300_000

test(
  'an install does not notice that warm parents of its scripts are killed at any moment',
  () =>
    atSite(async (site) => {
      const random = seededRandom('parents')
      const { port, client, database, serve } = await oneBox(site)
      try {
        const blueprint = await recordedBlueprint(site.folder, { instances: 5, workSeconds: 0.3 })
        const server = serve()
        await untilReady(port, server)
        await blueprint.upload(client)
        await client.deployments.create('app', { blueprintId: 'recorded' })
        const { id } = await client.executions.start({ deploymentId: 'app', workflowId: 'install' })
        const following = client.executions.follow(id, { patienceMs: 60_000 })
        let [killed, ended] = [0, false]
        const end = following.finally(() => {
          ended = true
        })
        await until('the first operation', 20_000, async () => (await blueprint.starts()).length > 0)
        while (!ended) {
          for (const { pid, parent } of await warmParentsWith(site.marker)) {
            // An operation that has lost its parent has its command line still.
            if (parent !== server.pid) continue
            killProcess(pid)
            killed += 1
          }
          await delay(random() * 400)
        }
        const execution = await end
        expect(execution.status, execution.error ?? '').toBe('terminated')
        const starts = await blueprint.starts()
        await expectWholeInstall(client, id, 'app', starts)
        // None was run twice either.
        expect(new Set(starts.map(({ operationId }) => operationId)).size).toBe(starts.length)
        expect(killed).toBeGreaterThan(0)
        server.kill('SIGTERM')
        expect(await server.ended).toEqual({ code: 0, signal: null })
        expect(await processesWith(site.marker)).toEqual([])
      } finally {
        await database.close()
      }
    }),
  timeoutMs,
)
