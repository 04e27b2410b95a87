import { existsSync } from 'node:fs'
import { mkdir, readFile, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { openDatabase } from '@tutti/storage'
import { createTestDatabase } from '@tutti/storage/testing'
import { expect, test } from 'vitest'
import { atSite } from './crash/site.ts'
import { clientOf, freePort, type TuttiProcess, untilReady } from './crash/tutti-process.ts'
import { until } from './crash/until.ts'

const timeoutMs = 240_000
const leaseSeconds = 2
const stallMs = 3 * leaseSeconds * 1_000
const stalls = 2

/** One operation, which works until the event loop of its worker has stood still so often. */
const blueprint = `tosca_definitions_version: cloudify_dsl_1_5
imports: [cloudify/types/types.yaml]
node_templates:
  node:
    type: cloudify.nodes.Root
    interfaces:
      cloudify.interfaces.lifecycle:
        create: {implementation: work.py, executor: central_deployment_agent}
        start: {implementation: work.py, executor: central_deployment_agent}
`
const script = (folder: string) => `import os, time

folder = ${JSON.stringify(folder)}
with open(os.path.join(folder, 'works'), 'a') as file:
    file.write('started\\n')
while not os.path.exists(folder + '/stalls') or len(open(folder + '/stalls').readlines()) < ${stalls}:
    time.sleep(0.1)
`

const untilWorking = (worker: TuttiProcess): Promise<boolean> =>
  until('a worker', 60_000, async () => (await worker.log()).includes('Tutti works'))

test(
  'a worker whose event loop stands still for several leases keeps its execution, though another one waits',
  () =>
    atSite(async (site) => {
      const own = await createTestDatabase()
      const database = openDatabase({ ...own.connection, max: 2 })
      try {
        const port = await freePort()
        const variables = {
          TUTTI_DATABASE_URL: own.connectionString,
          TUTTI_LEASE_SECONDS: String(leaseSeconds),
        }
        const api = site.start(
          'api',
          ['serve', '--roles', 'api', '--data-folder', join(site.folder, 'api'), '--port', String(port)],
          variables,
        )
        await untilReady(port, api)
        const startWorker = (name: string, more: Readonly<Record<string, string>> = {}) =>
          site.start(
            name,
            ['worker', '--data-folder', join(site.folder, name), '--manager-url', `http://127.0.0.1:${port}`],
            { ...variables, ...more },
          )
        const slow = startWorker('slow', {
          NODE_OPTIONS: `--import ${new URL('./crash/stall.ts', import.meta.url)}`,
          STALL_FOLDER: site.folder,
          STALL_MS: String(stallMs),
          STALL_TIMES: String(stalls),
        })
        await untilWorking(slow)
        const client = clientOf(port)
        const folder = join(site.folder, 'blueprint')
        await mkdir(folder)
        await writeFile(join(folder, 'blueprint.yaml'), blueprint)
        await writeFile(join(folder, 'work.py'), script(site.folder))
        await client.blueprints.upload('slow', { kind: 'folder', path: folder, mainFile: undefined })
        await client.deployments.create('slow', { blueprintId: 'slow' })
        const { id } = await client.executions.start({ deploymentId: 'slow', workflowId: 'install' })
        await until('the operation', 60_000, () => existsSync(join(site.folder, 'works')))
        const leaseOf = () =>
          database.db
            .selectFrom('executions')
            .select(['lease_owner', 'lease_fence'])
            .where('id', '=', id)
            .executeTakeFirstOrThrow()
        const held = await leaseOf()
        expect(held.lease_owner?.split('/')[1]).toBe(String(slow.pid))

        const other = startWorker('other')
        await untilWorking(other)
        await writeFile(join(site.folder, 'stall'), '')

        expect((await client.executions.follow(id)).status).toBe('terminated')
        expect((await leaseOf()).lease_fence).toBe(held.lease_fence)
        const lines = async (name: string) => (await readFile(join(site.folder, name), 'utf8')).split('\n')
        expect(await lines('stalls')).toHaveLength(stalls + 1)
        // Once each: nobody has run them again.
        expect(await lines('works')).toHaveLength(2 + 1)
        for (const one of [slow, other]) expect(one.isRunning).toBe(true)
      } finally {
        await database.close()
        await own.drop()
      }
    }),
  timeoutMs,
)
