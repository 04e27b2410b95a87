import { spawnSync } from 'node:child_process'
import { mkdir, rm, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { buffer } from 'node:stream/consumers'
import { setTimeout as delay } from 'node:timers/promises'
import type { Client } from '@tutti/client'
import { type Database, openDatabase, readArchive } from '@tutti/storage'
import { createTestDatabase } from '@tutti/storage/testing'
import { expect, test } from 'vitest'
import { seededRandom } from './crash/seed.ts'
import { atSite } from './crash/site.ts'
import { clientOf, freePort, type TuttiProcess, untilReady } from './crash/tutti-process.ts'
import { until } from './crash/until.ts'

/** A minute on an idle machine with 2 cores; several on a busy one. */
const timeoutMs = 400_000
const kills = 3
const instances = 4
const operations = ['create', 'configure', 'start'] as const

/** Each operation writes a folder of files, and looks whether its blueprint is whole. */
const script = `#!/bin/bash
set -e
name=$(ctx instance id)-$(ctx operation name | sed 's/.*[.]//')
[ $(ls "$MANAGER_FILE_SERVER_ROOT/blueprints/default_tenant/files/data" | wc -l) = 100 ]
folder=$MANAGER_FILE_SERVER_ROOT/deployments/default_tenant/app
mkdir -p "$folder/$name"
for index in $(seq 30); do head -c 20000 /dev/urandom > "$folder/$name/$index"; done
sleep 0.3
`
const blueprintText = `tosca_definitions_version: cloudify_dsl_1_4
imports: [cloudify/types/types.yaml]
node_templates:
  one:
    type: cloudify.nodes.Root
    instances: {deploy: ${instances}}
    interfaces:
      cloudify.interfaces.lifecycle:
${operations.map((name) => `        ${name}: {implementation: write.sh, max_retries: 0}`).join('\n')}
`

/** Two machines, of which one or the other is killed while it lays out, runs and stores; every second one is lost with its disk. */
test(
  'what operations that are recorded as done wrote is there after kill -9 of workers at any moment',
  () =>
    atSite(async (site) => {
      const random = seededRandom('resources crash')
      const own = await createTestDatabase()
      const { db, close } = openDatabase({ ...own.connection, max: 1 })
      try {
        const port = await freePort()
        const variables = { TUTTI_DATABASE_URL: own.connectionString, TUTTI_LEASE_SECONDS: '3' }
        const startWorker = (name: string) =>
          site.start(
            name,
            ['worker', '--data-folder', join(site.folder, name), '--manager-url', `http://127.0.0.1:${port}`],
            variables,
          )
        const api = site.start(
          'api',
          ['serve', '--roles', 'api', '--data-folder', join(site.folder, 'api'), '--port', String(port)],
          variables,
        )
        await untilReady(port, api)
        const client = clientOf(port)
        const workers = new Map<string, TuttiProcess>(['one', 'two'].map((name) => [name, startWorker(name)]))
        const folder = join(site.folder, 'files')
        await mkdir(join(folder, 'data'), { recursive: true })
        for (let index = 0; index < 100; index += 1) await writeFile(join(folder, 'data', `${index}`), 'x')
        await writeFile(join(folder, 'write.sh'), script)
        await writeFile(join(folder, 'blueprint.yaml'), blueprintText)
        await client.blueprints.upload('files', { kind: 'folder', path: folder, mainFile: undefined })
        await client.deployments.create('app', { blueprintId: 'files' })
        const { id } = await client.executions.start({ deploymentId: 'app', workflowId: 'install' })

        const holder = async () => {
          const row = await db
            .selectFrom('executions')
            .select('lease_owner')
            .where('id', '=', id)
            .executeTakeFirst()
          const pid = Number(row?.lease_owner?.split('/')[1])
          return [...workers].find(([, worker]) => worker.pid === pid && worker.isRunning)
        }
        for (let kill = 1; kill <= kills; kill += 1) {
          const [name, worker] = await until('a worker at work', 60_000, async () => {
            const { status } = await client.executions.get(id)
            if (status === 'terminated' || status === 'failed') return ['', undefined] as const
            return holder()
          })
          if (worker === undefined) break
          await delay(random() * 2_000)
          worker.kill('SIGKILL')
          await worker.ended
          if (kill % 2 === 0) {
            // What it had started may write for a moment still.
            await until('the end of its disk', 30_000, async () => {
              await rm(join(site.folder, `${name}-resources`), { recursive: true, force: true })
              return true
            })
          }
          workers.set(name, startWorker(name))
        }
        const execution = await client.executions.follow(id, { patienceMs: 120_000 })
        expect(execution.status, execution.error ?? '').toBe('terminated')
        const stored = await storedNames(db)
        const expected = (await idsOf(client)).flatMap((instance) =>
          operations.flatMap((name) =>
            Array.from({ length: 30 }, (_none, index) => `./${instance}-${name}/${index + 1}`),
          ),
        )
        expect(expected.filter((name) => !stored.has(name))).toEqual([])
        for (const one of [api, ...workers.values()]) {
          one.kill('SIGTERM')
          expect(await one.ended).toEqual({ code: 0, signal: null })
        }
      } finally {
        await close()
        await own.drop()
      }
    }),
  timeoutMs,
)

/** What another machine would be given. */
async function storedNames(db: Database): Promise<ReadonlySet<string>> {
  const { sha256 } = await db.selectFrom('deployment_folders').select('sha256').executeTakeFirstOrThrow()
  const archive = await readArchive(db, sha256)
  if (archive === undefined) throw new Error('the stored folder has no archive')
  const { status, stdout } = spawnSync('tar', ['-tzf', '-'], { input: await buffer(archive.chunks) })
  expect(status).toBe(0)
  return new Set(stdout.toString().split('\n'))
}

async function idsOf(client: Client): Promise<string[]> {
  const ids: string[] = []
  for await (const { id } of client.nodeInstances.iterate({ query: { deployment_id: 'app' } })) ids.push(id)
  return ids
}
