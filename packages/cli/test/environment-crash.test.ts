import { setTimeout as delay } from 'node:timers/promises'
import { expect, test } from 'vitest'
import { deploymentsOf, expectChildrenFirst, installEnvironment } from './crash/environment.ts'
import { expectNotRepeated, type Recorded, recordedSuccesses } from './crash/nothing-lost.ts'
import { oneBox, restarted } from './crash/one-box.ts'
import { levels, recordedBlueprint } from './crash/recorded-blueprint.ts'
import { seededRandom } from './crash/seed.ts'
import { atSite } from './crash/site.ts'
import { untilReady } from './crash/tutti-process.ts'
import { until } from './crash/until.ts'

/** Half a minute on an idle machine with 2 cores; several on a busy one. */
const timeoutMs = 300_000

const kills = 3
const branches = 3

/** By id, what is in what: a trunk, its branches, and leaves on them. */
const parents: ReadonlyMap<string, string | undefined> = new Map([
  ['trunk', undefined],
  ...Array.from({ length: branches }, (_none, index) => [`branch-${index}`, 'trunk'] as const),
  ...Array.from({ length: branches }, (_none, index) => [`leaf-${index}`, `branch-${index}`] as const),
])

test(
  'an environment is uninstalled and deleted with all that is in it, whenever its manager is killed',
  () =>
    atSite(async (site) => {
      const random = seededRandom('environment crash')
      const box = await oneBox(site)
      const { port, client, database, serve } = box
      try {
        const blueprint = await recordedBlueprint(site.folder, {
          instances: 1,
          workSeconds: 0.1,
          operations: ['delete'],
        })
        let server = serve()
        const restart = async () => {
          server = await restarted(site, box, server)
        }
        await untilReady(port, server)
        await blueprint.upload(client)
        await installEnvironment(client, parents)

        const { id } = await client.executions.start({
          deploymentId: 'trunk',
          workflowId: 'uninstall',
          parameters: { recursive: true },
        })
        const before: Recorded[] = []
        for (let kill = 0; kill < kills; kill += 1) {
          await delay(random() * 1_500)
          before.push(await recordedSuccesses(database.db, blueprint.starts))
          await restart()
        }
        const end = await client.executions.follow(id, { patienceMs: 60_000 })
        expect(end, end.error ?? '').toMatchObject({ status: 'terminated', error: '' })
        const starts = await blueprint.starts()
        for (const recorded of before) expectNotRepeated(recorded, starts)
        expect(new Set(starts.map(({ instanceId }) => instanceId)).size).toBe(parents.size * levels.length)
        await expectChildrenFirst(client, starts, parents)
        expect(await deploymentsOf(client, 'uninstall')).toEqual([...parents.keys()].sort())

        await client.deployments.delete('trunk', { recursive: true })
        await delay(random() * 500)
        await restart()
        await until('the end of the environment', 60_000, async () => {
          const rows = await database.db.selectFrom('deployments').select('id').execute()
          return rows.length === 0
        })
        const unfinished = await database.db
          .selectFrom('executions')
          .select(['id', 'workflow_id', 'status', 'error'])
          .where('status', '!=', 'terminated')
          .execute()
        expect(unfinished).toEqual([])
      } finally {
        await database.close()
      }
    }),
  timeoutMs,
)
