import { readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { setTimeout as delay } from 'node:timers/promises'
import { openDatabase } from '@tutti/storage'
import { expect, test } from 'vitest'
import {
  expectNotRepeated,
  expectWholeInstall,
  type Recorded,
  recordedSuccesses,
  startCounts,
} from './crash/nothing-lost.ts'
import { childrenOf, killProcess } from './crash/process-table.ts'
import { recordedBlueprint } from './crash/recorded-blueprint.ts'
import { seededRandom } from './crash/seed.ts'
import { atSite } from './crash/site.ts'
import { clientOf, freePort, untilReady } from './crash/tutti-process.ts'
import { until } from './crash/until.ts'

/** A minute on an idle machine with 2 cores; several on a busy one. */
const timeoutMs = 300_000

const kills = 4

/** The manager lives through it: it answers in its own words meanwhile, and goes on when its database is back. */
test(
  'an install survives that PostgreSQL is killed under its manager',
  () =>
    atSite(async (site) => {
      const random = seededRandom('database crash')
      const dataFolder = join(site.folder, 'data')
      const home = join(dataFolder, 'postgresql')
      const port = await freePort()
      const client = clientOf(port)
      const broken: Error[] = []
      const database = openDatabase({
        host: home,
        port: 5432,
        user: 'tutti',
        database: 'tutti',
        max: 1,
        onIdleError: (error) => broken.push(error),
      })
      const readPostmaster = async () => {
        const content = await readFile(join(home, 'data', 'postmaster.pid'), 'utf8').catch(() => '')
        return Number(content.split('\n')[0]) || undefined
      }
      const stopAsking = new AbortController()
      try {
        const blueprint = await recordedBlueprint(site.folder, { instances: 9, workSeconds: 0.6 })
        const server = site.start('serve', ['serve', '--data-folder', dataFolder, '--port', String(port)])
        await untilReady(port, server)
        await blueprint.upload(client)
        await client.deployments.create('app', { blueprintId: 'recorded' })
        const { id } = await client.executions.start({ deploymentId: 'app', workflowId: 'install' })
        await until('the first operation', 20_000, async () => (await blueprint.starts()).length > 0)

        const answers = askContinually(port, stopAsking.signal)
        const before: Recorded[] = []
        const awayMs: number[] = []
        for (let kill = 1; kill <= kills; kill += 1) {
          await delay(random() * 1_000)
          const recorded = await until('what is recorded', 20_000, async () =>
            recordedSuccesses(database.db, blueprint.starts),
          )
          before.push(recorded)
          const postmaster = await until('the process of the database', 10_000, readPostmaster)
          // Every third time only one process of the server: the others end too, and it recovers by itself.
          const backends = (await childrenOf(postmaster)).filter(({ command }) => !command.includes('logger'))
          const backend = kill % 3 === 0 ? backends[Math.floor(random() * backends.length)] : undefined
          killProcess(backend?.pid ?? postmaster)
          const killedAt = performance.now()
          if (backend !== undefined) continue
          await until('another server', 30_000, async () => {
            return ((await readPostmaster()) ?? postmaster) !== postmaster
          })
          await until('its answer', 30_000, async () => recordedSuccesses(database.db, blueprint.starts))
          awayMs.push(Math.round(performance.now() - killedAt))
        }
        console.log(`database crash: from the kill to the next answer ${awayMs.join(', ')} ms`)

        const execution = await client.executions.follow(id, { patienceMs: 60_000 })
        expect(execution.status, execution.error ?? '').toBe('terminated')
        const starts = await blueprint.starts()
        for (const recorded of before) expectNotRepeated(recorded, starts)
        await expectWholeInstall(client, id, 'app', starts)
        // The worker lived, so it lost no answer of an operation either: none had to be run twice.
        expect([...startCounts(starts).values()].filter((count) => count > 1)).toEqual([])

        stopAsking.abort()
        const given = await answers
        console.log(`database crash: answers ${JSON.stringify(given.counts)}`)
        expect(given.unexpected).toEqual([])
        expect(server.isRunning).toBe(true)
        server.kill('SIGTERM')
        expect(await server.ended).toEqual({ code: 0, signal: null })
      } finally {
        stopAsking.abort()
        await database.close()
      }
    }),
  timeoutMs,
)

/** Asks the manager again and again and keeps what is neither an answer nor a clean "not now". */
async function askContinually(port: number, signal: AbortSignal) {
  const counts: Record<string, number> = {}
  const unexpected: string[] = []
  const headers = { authorization: `Basic ${btoa('admin:crash-test')}`, tenant: 'default_tenant' }
  while (!signal.aborted) {
    const response = await fetch(`http://127.0.0.1:${port}/api/v3.1/executions`, { headers }).catch(
      (error: unknown) => `${error}: ${(error as Error).cause}`,
    )
    if (typeof response === 'string') {
      unexpected.push(response)
      continue
    }
    const text = await response.text()
    const code = (JSON.parse(text) as { error_code?: string }).error_code ?? ''
    const kind = `${response.status} ${code}`.trim()
    counts[kind] = (counts[kind] ?? 0) + 1
    if (kind !== '200' && kind !== '503 database_unavailable_error') unexpected.push(text)
    await delay(25, undefined, { signal }).catch(() => undefined)
  }
  return { counts, unexpected }
}
