import { chmod, mkdir, readdir, readFile, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { openDatabase } from '@tutti/storage'
import { createTestDatabase } from '@tutti/storage/testing'
import { expect, test } from 'vitest'
import { storePlugin } from '../../manager/test/wagons.ts'
import { processesWith } from './crash/process-table.ts'
import { atSite, type Site } from './crash/site.ts'
import { clientOf, freePort, untilReady } from './crash/tutti-process.ts'
import { until } from './crash/until.ts'

/** A minute on an idle machine with 2 cores; several on a busy one. */
const timeoutMs = 600_000

const deployments = ['one', 'two', 'three', 'four']

test(
  'a worker that is killed while it installs a plugin leaves no half of it to the other one',
  () =>
    atSite(async (site) => {
      const own = await createTestDatabase()
      const database = openDatabase({ ...own.connection, max: 2 })
      try {
        const gate = await gatedPython(site)
        const port = await freePort()
        const variables = {
          TUTTI_DATABASE_URL: own.connectionString,
          TUTTI_LEASE_SECONDS: '3',
          TUTTI_PYTHON: gate.python,
        }
        const address = `http://127.0.0.1:${port}`
        // One folder: two workers of one machine.
        const args = ['worker', '--data-folder', join(site.folder, 'data'), '--manager-url', address]
        const api = site.start(
          'api',
          ['serve', '--roles', 'api', '--data-folder', join(site.folder, 'api'), '--port', String(port)],
          variables,
        )
        await untilReady(port, api)
        const workers = [site.start('worker-1', args, variables), site.start('worker-2', args, variables)]
        for (const worker of workers) {
          await until('a worker', 60_000, async () => (await worker.log()).includes('Tutti works'))
        }
        const client = clientOf(port)
        const starts = join(site.folder, 'starts')
        await storePlugin(database.db, plugin)
        const blueprint = join(site.folder, 'blueprint')
        await mkdir(blueprint)
        await writeFile(join(blueprint, 'blueprint.yaml'), blueprintText(starts))
        await client.blueprints.upload('b', { kind: 'folder', path: blueprint, mainFile: undefined })
        for (const name of deployments) await client.deployments.create(name, { blueprintId: 'b' })
        const executions = await Promise.all(
          deployments.map((deploymentId) => client.executions.start({ deploymentId, workflowId: 'install' })),
        )

        await until('an installation', 60_000, async () => (await gate.installing()).length > 0)
        const [installing] = await gate.installing()
        const killed = workers.find(({ pid }) => pid === installing)
        expect(killed).toBeDefined()
        killed?.kill('SIGKILL')
        await killed?.ended
        await until('the end of what it had started', 60_000, async () => {
          const left = (await processesWith(site.marker)).filter(
            ({ command, parent }) =>
              command.includes('install_plugin.py') &&
              workers.every(({ pid, isRunning }) => pid !== parent || !isRunning),
          )
          if (left.length > 0) throw new Error(JSON.stringify(left))
          return true
        })
        await until('the other one at it', 120_000, async () => (await gate.installing()).length > 1)
        // Nothing has run in what was half there.
        expect(await lines(starts)).toEqual([])
        await gate.open()

        for (const { id } of executions)
          expect((await client.executions.follow(id)).status).toBe('terminated')
        const begun = (await lines(starts)).map((line) => line.split(' '))
        // Of each deployment, whether or not its worker was too slow to keep it.
        expect(new Set(begun.map(([instance]) => instance)).size).toBe(deployments.length)
        expect(new Set(begun.map(([_instance, prefix]) => prefix)).size).toBe(1)
        expect(await gate.installing()).toHaveLength(2)
        const inside = join(site.folder, 'data', 'plugin-environments', '.tutti', 'notes')
        expect(await readdir(inside)).toHaveLength(1)
      } finally {
        await database.close()
        await own.drop()
      }
    }),
  timeoutMs,
)

const plugin = {
  name: 'slow-plugin',
  wheels: [
    {
      name: 'slow-plugin',
      files: {
        'slow_plugin.py': `
import sys
from cloudify import ctx
from cloudify.decorators import operation
@operation(resumable=True)
def create(file, **_):
    with open(file, 'a') as target:
        target.write(ctx.instance.id + ' ' + sys.prefix + chr(10))
`,
      },
    },
  ],
}

const blueprintText = (file: string) =>
  JSON.stringify({
    tosca_definitions_version: 'cloudify_dsl_1_5',
    imports: ['cloudify/types/types.yaml'],
    plugins: { slow: { executor: 'central_deployment_agent', package_name: 'slow-plugin' } },
    node_templates: {
      one: {
        type: 'cloudify.nodes.Root',
        interfaces: {
          'cloudify.interfaces.lifecycle': {
            create: { implementation: 'slow.slow_plugin.create', inputs: { file } },
          },
        },
      },
    },
  })

const lines = async (file: string): Promise<readonly string[]> =>
  (await readFile(file, 'utf8').catch(() => '')).split('\n').slice(0, -1)

/**
 * A Python whose installations of plugins say whose they are, and wait until they may go on, or until their worker is gone:
 * one that was killed before its watcher knew of them leaves it to Python to end.
 */
async function gatedPython(site: Site) {
  const [python, begun, open] = ['python', 'begun', 'open'].map((name) => join(site.folder, name))
  await writeFile(
    String(python),
    `#!/bin/sh
case "$*" in
  *install_plugin.py\\ describe) ;;
  *install_plugin.py*)
    echo "$PPID" >>'${begun}'
    while [ ! -e '${open}' ] && kill -0 "$PPID" 2>/dev/null; do sleep 0.1; done ;;
esac
exec python3 "$@"
`,
  )
  await chmod(String(python), 0o755)
  return {
    python: String(python),
    /** The workers that have begun to install, each time. */
    installing: async () => (await lines(String(begun))).map(Number),
    open: () => writeFile(String(open), ''),
  }
}
