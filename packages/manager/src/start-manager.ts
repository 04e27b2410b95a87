import { randomUUID } from 'node:crypto'
import { once } from 'node:events'
import { rm } from 'node:fs/promises'
import { createServer } from 'node:http'
import { Server as HttpsServer } from 'node:https'
import type { AddressInfo } from 'node:net'
import { hostname } from 'node:os'
import { join } from 'node:path'
import {
  createDirectory,
  createLdapLogins,
  createPasswordCheck,
  createSlowDown,
  lockoutOf,
} from '@tutti/domain/authentication'
import { bootstrap } from '@tutti/domain/bootstrap'
import { registerManager } from '@tutti/domain/cluster'
import { loadKeys } from '@tutti/domain/encryption'
import { readEnd, watchExecutionEnds } from '@tutti/domain/executions'
import {
  listen,
  machineAddress,
  type OpenDatabase,
  openProcessFolder,
  type PoolConfig,
  type Queue,
  type Registry,
} from '@tutti/storage'
import type { FastifyBaseLogger, FastifyInstance } from 'fastify'
import { handlers } from './features/index.ts'
import { buildApp } from './http/app.ts'
import { watchConnections } from './http/connections.ts'
import { createDiskSpace } from './http/disk-space.ts'
import { followCertificate, readPair, type TlsFiles } from './http/tls.ts'
import type { ManagerServices } from './services.ts'
import type { ManagerSettings } from './settings.ts'
import { openSharedState } from './shared-state.ts'
import { managerShares } from './shares.ts'

export type RunningManager = {
  /** Where it listens. */
  readonly url: string
  /** The same service for operations on this machine, without TLS: a certificate names no loopback address. */
  readonly localUrl: string
  /** Takes nothing new, answers what is under way as far as the time for it goes, and ends. */
  stop(): Promise<void>
}

/** Starts the REST service. The database and the queue stay the caller's to close. */
export async function startManager(options: {
  readonly database: OpenDatabase
  readonly connection: PoolConfig
  readonly queue: Queue
  readonly settings: ManagerSettings
  readonly log: FastifyBaseLogger
  readonly metrics: Registry
}): Promise<RunningManager> {
  const { database, connection, queue, settings, log, metrics } = options
  const { db } = database
  await bootstrap(db, settings)
  const keys = await loadKeys(db, settings)
  const shared = await openSharedState(db, settings, log)
  const uploadFolder = await openProcessFolder(join(settings.dataFolder, 'uploads'))
  const diskSpace = createDiskSpace(uploadFolder)
  const executionEnds = watchExecutionEnds(db, readEnd, {
    diskSpace,
    awayMs: settings.databaseSeconds * 1_000,
  })
  const directory = createDirectory(db)
  const { readers, hashing, unpacking } = managerShares(metrics)
  const id = randomUUID()
  const slowDown = createSlowDown({ now: () => performance.now(), most: 10_000 })
  const listener = listen(
    connection,
    (notification) => {
      executionEnds.onNotification(notification)
      if (notification.kind === 'login_failed' && notification.manager !== id)
        slowDown.failed(notification.key)
      directory.onNotification(notification)
      shared.onNotification(notification)
    },
    (isListening) => {
      directory.onListening(isListening)
      shared.onListening(isListening)
    },
  )
  const services: ManagerServices = {
    id,
    db,
    database,
    queue,
    settings,
    config: shared.config,
    maintenance: shared.maintenance,
    uploadFolder,
    executionEnds,
    diskSpace,
    passwords: createPasswordCheck(hashing),
    slowDown,
    readers,
    unpacking,
    ldapLogins: createLdapLogins(),
    keys,
    directory,
    lockout: () => lockoutOf(shared.config),
    now: () => new Date(),
    log,
    metrics,
  }
  const tlsFiles = tlsFilesOf(settings)
  const app = buildApp(services, handlers, tlsFiles && (await readPair(tlsFiles)))
  const connections = watchConnections(app.server)
  try {
    await app.listen({ host: settings.host, port: settings.port })
  } catch (error) {
    await listener.close()
    shared.close()
    throw listenError(error, settings)
  }
  const url = urlOf(app.server.address(), settings)
  const certificate =
    tlsFiles && app.server instanceof HttpsServer ? followCertificate(app.server, tlsFiles, log) : undefined
  const local = tlsFiles && (await listenLocally(app))
  const address = isEveryAddress(settings.host) ? machineAddress() : new URL(url).hostname
  const registration = await registerManager(
    db,
    { hostname: hostname(), privateIp: address, publicIp: address },
    (error) => log.warn({ err: error }, 'the heartbeat could not be written'),
  )
  return {
    url,
    localUrl: local?.url ?? url,
    async stop() {
      certificate?.stop()
      const drainMs = settings.drainSeconds * 1_000
      await Promise.all([app.close(), connections.drain(drainMs), local?.stop(drainMs)])
      await registration.stop()
      await listener.close()
      shared.close()
      await rm(uploadFolder, { recursive: true, force: true })
    },
  }
}

/** @throws where one is given without the other */
function tlsFilesOf({ tlsCertificate, tlsKey }: ManagerSettings): TlsFiles | undefined {
  if (tlsCertificate === undefined && tlsKey === undefined) return undefined
  if (tlsCertificate !== undefined && tlsKey !== undefined)
    return { certificate: tlsCertificate, key: tlsKey }
  throw new Error(
    'TLS takes both a certificate and its key: give --tls-certificate and --tls-key, or neither of them',
  )
}

/** On a free port of the loopback interface. */
async function listenLocally(app: FastifyInstance) {
  const server = createServer((request, response) => app.routing(request, response))
  const connections = watchConnections(server)
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    async stop(drainMs: number) {
      server.close()
      await connections.drain(drainMs)
    },
  }
}

const isEveryAddress = (host: string) => host === '0.0.0.0' || host === '::'

function urlOf(address: ReturnType<import('node:net').Server['address']>, settings: ManagerSettings): string {
  if (address === null || typeof address === 'string') throw new Error('the manager listens on no port')
  const host = isEveryAddress(settings.host) ? '127.0.0.1' : settings.host
  const protocol = settings.tlsCertificate === undefined ? 'http' : 'https'
  return `${protocol}://${host.includes(':') ? `[${host}]` : host}:${address.port}`
}

function listenError(error: unknown, { host, port }: ManagerSettings): Error {
  const { code } = error as NodeJS.ErrnoException
  if (code === 'EADDRINUSE') {
    return new Error(
      `Port ${port} on ${host} is taken by another program. Choose another one: tutti serve --port 8081`,
    )
  }
  if (code === 'EACCES') {
    return new Error(
      `Port ${port} on ${host} may not be opened by this user. Choose one above 1023: tutti serve --port 8080`,
    )
  }
  if (code === 'EADDRNOTAVAIL')
    return new Error(`${host} is no address of this machine. Try --host 127.0.0.1 or 0.0.0.0`)
  return error instanceof Error ? error : new Error(String(error))
}
