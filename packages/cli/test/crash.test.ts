import { readdir } from 'node:fs/promises'
import { join } from 'node:path'
import { setTimeout as delay } from 'node:timers/promises'
import { expect, test } from 'vitest'
import {
  expectNotRepeated,
  expectWholeInstall,
  type Recorded,
  recordedSuccesses,
} from './crash/nothing-lost.ts'
import { oneBox } from './crash/one-box.ts'
import { processesWith } from './crash/process-table.ts'
import { recordedBlueprint } from './crash/recorded-blueprint.ts'
import { seededRandom } from './crash/seed.ts'
import { atSite } from './crash/site.ts'
import { untilReady } from './crash/tutti-process.ts'
import { until } from './crash/until.ts'

/** A minute on an idle machine with 2 cores; several on a busy one. */
const timeoutMs = 300_000

const kills = 4

/**
 * One box: everything in one process, killed without warning while it works, while it starts, while it takes over.
 */
test(
  'an install survives that its manager is killed at any moment',
  () =>
    atSite(async (site) => {
      const random = seededRandom('crash')
      const { dataFolder, port, client, database, serve } = await oneBox(site)
      try {
        const blueprint = await recordedBlueprint(site.folder, { instances: 9, workSeconds: 0.3 })
        let server = serve()
        await untilReady(port, server)
        await blueprint.upload(client)
        await client.deployments.create('app', { blueprintId: 'recorded' })
        const { id } = await client.executions.start({ deploymentId: 'app', workflowId: 'install' })
        await until('the first operation', 20_000, async () => (await blueprint.starts()).length > 0)

        const before: Recorded[] = []
        const restartMs: number[] = []
        for (let kill = 1; kill <= kills; kill += 1) {
          // Most kills hit work; every third one a manager that is still starting or taking over.
          if (kill % 3 !== 0) {
            const known = (await blueprint.starts()).length
            await until('an operation after the restart', 30_000, async () => {
              return (await blueprint.starts()).length > known
            })
          }
          // On a slow machine none would come as far as to be recorded between two kills.
          if (kill % 3 === 1) {
            const done = Math.max(0, ...before.map(({ size }) => size))
            await until('an operation that is recorded as done', 60_000, async () => {
              return (await recordedSuccesses(database.db, blueprint.starts)).size > done
            })
          }
          await delay(random() * 1_200)
          const recorded = await recordedSuccesses(database.db, blueprint.starts)
          server.kill('SIGKILL')
          await server.ended
          before.push(recorded)
          await until('the end of the killed manager’s operations', 15_000, async () => {
            return (await processesWith(site.marker)).length === 0
          })
          // What was recorded between the look and the kill counts as well.
          before.push(await recordedSuccesses(database.db, blueprint.starts))

          const known = (await blueprint.starts()).length
          const startedAt = performance.now()
          server = serve()
          if (kill % 3 !== 2) {
            await until('an operation after the restart', 30_000, async () => {
              return (await blueprint.starts()).length > known
            })
            restartMs.push(Math.round(performance.now() - startedAt))
          }
        }
        console.log(`crash: from start to the next operation ${restartMs.join(', ')} ms`)

        const execution = await client.executions.follow(id, { patienceMs: 60_000 })
        expect(execution.status, execution.error ?? '').toBe('terminated')
        const starts = await blueprint.starts()
        for (const recorded of before) expectNotRepeated(recorded, starts)
        await expectWholeInstall(client, id, 'app', starts)
        expect(Math.max(...before.map(({ size }) => size))).toBeGreaterThan(0)

        server.kill('SIGTERM')
        expect(await server.ended).toEqual({ code: 0, signal: null })
        expect(await processesWith(site.marker)).toEqual([])
        // Folders of killed processes hold tokens and uploads: a start removes them, an end its own.
        for (const folder of ['work', 'uploads']) expect(await readdir(join(dataFolder, folder))).toEqual([])
      } finally {
        await database.close()
      }
    }),
  timeoutMs,
)
