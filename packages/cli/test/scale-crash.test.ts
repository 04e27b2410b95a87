import { setTimeout as delay } from 'node:timers/promises'
import { expect, test } from 'vitest'
import { installEnvironment } from './crash/environment.ts'
import { expectNotRepeated, type Recorded, recordedSuccesses } from './crash/nothing-lost.ts'
import { oneBox, restarted } from './crash/one-box.ts'
import { levels, recordedBlueprint } from './crash/recorded-blueprint.ts'
import { seededRandom } from './crash/seed.ts'
import { atSite } from './crash/site.ts'
import { untilReady } from './crash/tutti-process.ts'
import { until } from './crash/until.ts'

/** Less than half a minute on an idle machine with 2 cores; several on a busy one. */
const timeoutMs = 600_000

test(
  'scaling goes on where it was, killed at the beginning, within and at the end, and counts everything once',
  () =>
    atSite(async (site) => {
      const random = seededRandom('scale crash')
      const box = await oneBox(site)
      const { port, client, database } = box
      try {
        const blueprint = await recordedBlueprint(site.folder, {
          instances: 1,
          workSeconds: 0.1,
          operations: ['create', 'start', 'delete'],
        })
        let server = box.serve()
        await untilReady(port, server)
        await blueprint.upload(client)
        await installEnvironment(client, new Map([['scaled', undefined]]))
        const before: Recorded[] = []
        const kill = async () => {
          before.push(await recordedSuccesses(database.db, blueprint.starts))
          server = await restarted(site, box, server)
        }
        const modifications = async () =>
          database.db
            .selectFrom('deployment_modifications')
            .select('status')
            .where('deployment_id', '=', 'scaled')
            .orderBy('created_at')
            .execute()
        const instances = async () => {
          const found: { id: string; node_id: string; state: string }[] = []
          for await (const one of client.nodeInstances.iterate({ query: { deployment_id: 'scaled' } })) {
            found.push(one)
          }
          return found
        }
        const scale = (delta: number) =>
          client.executions.start({
            deploymentId: 'scaled',
            workflowId: 'scale',
            parameters: { scalable_entity_name: 'database', delta },
          })
        const expectWell = async (id: string, count: number) => {
          const end = await client.executions.follow(id, { patienceMs: 60_000 })
          expect(end, end.error ?? '').toMatchObject({ status: 'terminated', error: '' })
          for (const recorded of before) expectNotRepeated(recorded, await blueprint.starts())
          const found = await instances()
          expect(found.filter(({ node_id }) => node_id === 'database')).toHaveLength(count)
          expect(found).toHaveLength(levels.length - 1 + count)
          expect(found.every(({ state }) => state === 'started')).toBe(true)
          const verified = await client.call('deployments.verify', { params: { deployment_id: 'scaled' } })
          expect(verified.problems).toEqual([])
        }

        const out = await scale(3)
        // As soon as the modification is there, or soon after.
        await until('the modification', 60_000, async () => (await modifications()).length > 0)
        await delay(random() * 50)
        await kill()
        const installed = (await blueprint.starts()).length
        const isOver = async () =>
          !['pending', 'started'].includes((await client.executions.get(out.id)).status)
        // Most of them may have been started before anybody looked.
        await until('operations of what is added', 60_000, async () => {
          return (await blueprint.starts()).length > installed + 2 || (await isOver())
        })
        await delay(random() * 200)
        await kill()
        await expectWell(out.id, 4)
        expect(await modifications()).toEqual([{ status: 'finished' }])

        const back = await scale(-2)
        await until('an uninstallation', 60_000, async () =>
          (await blueprint.starts()).some(({ operation }) => operation === 'delete'),
        )
        await kill()
        await expectWell(back.id, 2)
        expect(await modifications()).toEqual([{ status: 'finished' }, { status: 'finished' }])
      } finally {
        await database.close()
      }
    }),
  timeoutMs,
)
