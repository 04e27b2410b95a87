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

/** Less than half a minute on an idle machine with 2 cores; several on a busy one. */
const timeoutMs = 300_000

/** By id, what is in what. */
const parents: ReadonlyMap<string, string | undefined> = new Map([
  ['trunk', undefined],
  ['leaf-1', 'trunk'],
  ['leaf-2', 'trunk'],
])

test(
  'a workflow of several phases goes on where it was, killed within and between them',
  () =>
    atSite(async (site) => {
      const random = seededRandom('phases crash')
      const box = await oneBox(site)
      const { port, client, database } = box
      try {
        const blueprint = await recordedBlueprint(site.folder, {
          instances: 1,
          workSeconds: 0.1,
          operations: ['delete'],
        })
        let server = box.serve()
        await untilReady(port, server)
        await blueprint.upload(client)
        await installEnvironment(client, parents)

        const { id } = await client.executions.start({
          deploymentId: 'trunk',
          workflowId: 'uninstall',
          parameters: { recursive: true },
        })
        const before: Recorded[] = []
        const kill = async () => {
          before.push(await recordedSuccesses(database.db, blueprint.starts))
          server = await restarted(site, box, server)
        }
        const execution = () =>
          database.db
            .selectFrom('executions')
            .select(['phase', 'status'])
            .where('id', '=', id)
            .executeTakeFirstOrThrow()
        const graphs = () =>
          database.db.selectFrom('tasks_graphs').select('name').where('execution_id', '=', id).execute()

        // Within the first phase: its children are at work.
        await until('an operation of a child', 60_000, async () => (await blueprint.starts()).length > 0)
        await delay(random() * 300)
        expect({ ...(await execution()), graphs: await graphs() }).toEqual({
          phase: null,
          status: 'started',
          graphs: [],
        })
        await kill()

        // Between the phases: as soon as it is stored that the children are done.
        const passed = await until('the end of the first phase', 60_000, async () => {
          const { phase, status } = await execution()
          return phase !== null && { phase, status }
        })
        await kill()
        expect(passed).toEqual({ phase: { passed: 'children' }, status: 'started' })

        // Within the second one.
        const ofChildren = (parents.size - 1) * levels.length
        await until('an operation of the second phase', 60_000, async () => {
          return new Set((await blueprint.starts()).map(({ instanceId }) => instanceId)).size > ofChildren
        })
        await delay(random() * 300)
        await kill()

        const end = await client.executions.follow(id, { patienceMs: 60_000 })
        expect(end, end.error ?? '').toMatchObject({ status: 'terminated', error: '' })
        expect(await graphs()).toEqual([{ name: 'uninstall' }])
        const starts = await blueprint.starts()
        for (const recorded of before) expectNotRepeated(recorded, starts)
        expect(new Set(starts.map(({ instanceId }) => instanceId)).size).toBe(parents.size * levels.length)
        await expectChildrenFirst(client, starts, parents)
        expect(await deploymentsOf(client, 'uninstall')).toEqual([...parents.keys()].sort())
      } finally {
        await database.close()
      }
    }),
  timeoutMs,
)
