import { randomUUID } from 'node:crypto'
import { rm } from 'node:fs/promises'
import { hostname } from 'node:os'
import { join } from 'node:path'
import { closedFolder, openProcessFolder } from '@tutti/storage'
import { readInstallation, runtimeFolder, setprivCommand, startWorker } from '@tutti/worker'
import type { Configuration } from '../configuration/settings.ts'
import { UsageError } from '../errors/usage-error.ts'
import { version } from '../version.ts'
import { leaseMs } from './lease-time.ts'
import type { OpenStore } from './open-store.ts'
import type { Running } from './parts.ts'
import { chooseResourcesFolder } from './resources-folder.ts'

export async function startWorkerPart(
  configuration: Configuration,
  store: OpenStore,
  managerUrl: string,
): Promise<Running> {
  const { dataFolder, operationUsers } = configuration
  if (operationUsers !== undefined) await checkReach(operationUsers.first, [dataFolder, runtimeFolder()])
  const workFolder = await openProcessFolder(
    join(dataFolder, 'work'),
    operationUsers === undefined ? 0o700 : 0o711,
  )
  const resourcesFolder = await chooseResourcesFolder(
    configuration,
    await readInstallation(store.database.db),
  )
  if (operationUsers !== undefined) await checkReach(operationUsers.first, [resourcesFolder])
  const url = new URL(managerUrl)
  const protocol = url.protocol === 'https:' ? 'https' : 'http'
  const worker = await startWorker({
    db: store.database.db,
    connection: store.connection,
    queue: store.queue,
    log: store.log,
    metrics: store.metrics,
    version,
    settings: {
      ...configuration,
      owner: `${hostname()}/${process.pid}/${randomUUID()}`,
      leaseMs: leaseMs(configuration.leaseSeconds),
      isAlone: store.isOwn,
      maxOperations: configuration.maxConcurrentOperations,
      operationTimeoutMs: configuration.operationTimeoutSeconds * 1000,
      operationLogs: { maxBytes: configuration.operationLogBytes, files: configuration.operationLogFiles },
      drainMs: configuration.drainSeconds * 1_000,
      workFolder,
      resourcesSweepMs: 15_000,
      environment: {
        inherited: process.env,
        alsoPassed: configuration.operationVariables,
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
        resourcesFolder,
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

/** @throws UsageError unless this process may start others as that user, who can reach what they need */
async function checkReach(uid: number, paths: readonly string[]): Promise<void> {
  if (process.getuid?.() !== 0) {
    throw new UsageError(
      '--operation-users needs root: only root may start processes as other users',
      'Start Tutti as root, or leave the setting out',
    )
  }
  if (setprivCommand() === undefined) {
    throw new UsageError(
      '--operation-users needs setpriv, by which scripts are kept from becoming another user',
      'Install the package util-linux, or leave the setting out',
    )
  }
  for (const path of paths) {
    const closed = await closedFolder(path, { uid, gid: uid })
    if (closed === undefined) continue
    throw new UsageError(
      `--operation-users: the users of operations cannot reach ${path}, as the folder ${closed} is closed to them`,
      `Open it for passing (chmod o+x ${closed}), or install Tutti and keep its data elsewhere`,
    )
  }
}
