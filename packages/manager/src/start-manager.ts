import { randomUUID } from 'node:crypto'
import { rm } from 'node:fs/promises'
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
import type { FastifyBaseLogger } from 'fastify'
import { handlers } from './features/index.ts'
import { buildApp } from './http/app.ts'
import { watchConnections } from './http/connections.ts'
import { createRoom } from './http/room.ts'
import type { ManagerServices } from './services.ts'
import type { ManagerSettings } from './settings.ts'
import { openSharedState } from './shared-state.ts'
import { managerShares } from './shares.ts'

export type RunningManager = {
  /** Where it listens. */
  readonly url: string
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
  const room = createRoom(uploadFolder)
  const ends = watchExecutionEnds(db, readEnd, { room, awayMs: settings.databaseSeconds * 1_000 })
  const directory = createDirectory(db)
  const { readers, hashing } = managerShares(metrics)
  const id = randomUUID()
  const slowDown = createSlowDown({ now: () => performance.now(), most: 10_000 })
  const listener = listen(
    connection,
    (notification) => {
      ends.onNotification(notification)
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
    ends,
    room,
    passwords: createPasswordCheck(hashing),
    slowDown,
    readers,
    ldapLogins: createLdapLogins(),
    keys,
    directory,
    lockout: () => lockoutOf(shared.config),
    now: () => new Date(),
    log,
    metrics,
  }
  const app = buildApp(services, handlers)
  const connections = watchConnections(app.server)
  try {
    await app.listen({ host: settings.host, port: settings.port })
  } catch (error) {
    await listener.close()
    shared.close()
    throw listenError(error, settings)
  }
  const url = urlOf(app.server.address(), settings)
  const address = isEveryAddress(settings.host) ? machineAddress() : new URL(url).hostname
  const registration = await registerManager(
    db,
    { hostname: hostname(), privateIp: address, publicIp: address },
    (error) => log.warn({ err: error }, 'the heartbeat could not be written'),
  )
  return {
    url,
    async stop() {
      await Promise.all([app.close(), connections.drain(settings.drainSeconds * 1_000)])
      await registration.stop()
      await listener.close()
      shared.close()
      await rm(uploadFolder, { recursive: true, force: true })
    },
  }
}

const isEveryAddress = (host: string) => host === '0.0.0.0' || host === '::'

function urlOf(address: ReturnType<import('node:net').Server['address']>, settings: ManagerSettings): string {
  if (address === null || typeof address === 'string') throw new Error('the manager listens on no port')
  const host = isEveryAddress(settings.host) ? '127.0.0.1' : settings.host
  return `http://${host.includes(':') ? `[${host}]` : host}:${address.port}`
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
