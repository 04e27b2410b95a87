import { randomUUID } from 'node:crypto'
import { rm } from 'node:fs/promises'
import { hostname } from 'node:os'
import { join } from 'node:path'
import { openProcessFolder } from '@tutti/storage'
import { runtimeFolder, startWorker } from '@tutti/worker'
import type { Configuration } from '../configuration/settings.ts'
import { version } from '../version.ts'
import type { OpenStore } from './open-store.ts'
import type { Running } from './parts.ts'

/** How long running operations may go on after the process was asked to stop. */
const drainMs = 10_000

/** What is promised is that another worker has begun by then: it needs a moment to notice. */
const leaseMsPerPromisedSecond = 900

export async function startWorkerPart(
  configuration: Configuration,
  store: OpenStore,
  managerUrl: string,
): Promise<Running> {
  const { dataFolder } = configuration
  const workFolder = await openProcessFolder(join(dataFolder, 'work'))
  const url = new URL(managerUrl)
  const protocol = url.protocol === 'https:' ? 'https' : 'http'
  const worker = await startWorker({
    db: store.database.db,
    connection: store.connection,
    queue: store.queue,
    log: store.log,
    version,
    settings: {
      ...configuration,
      owner: `${hostname()}/${process.pid}/${randomUUID()}`,
      leaseMs: configuration.leaseSeconds * leaseMsPerPromisedSecond,
      isAlone: store.isOwn,
      maxOperations: configuration.maxConcurrentOperations,
      drainMs,
      workFolder,
      environment: {
        inherited: process.env,
        manager: {
          protocol,
          hosts: [url.hostname.replace(/^\[|\]$/g, '')],
          port: Number(url.port) || (protocol === 'https' ? 443 : 80),
          name: hostname(),
          certificateFile: null,
        },
        runtimeFolder: runtimeFolder(),
        pluginWorkFolder: join(dataFolder, 'plugins'),
        logFolder: join(dataFolder, 'logs'),
      },
    },
  })
  return {
    async stop() {
      await worker.drain()
      await rm(workFolder, { recursive: true, force: true })
    },
    broken: new Promise<never>(() => {}),
  }
}
