import { randomUUID } from 'node:crypto'
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import {
  createDirectory,
  createLdapLogins,
  createPasswordCheck,
  createSlowDown,
  lockoutOf,
} from '@tutti/domain/authentication'
import { bootstrap } from '@tutti/domain/bootstrap'
import { newKey, openKeyRing } from '@tutti/domain/encryption'
import { readEnd, watchExecutionEnds } from '@tutti/domain/executions'
import { createMetrics, type Database, openDatabase, openQueue, type PoolConfig } from '@tutti/storage'
import { createTestDatabase } from '@tutti/storage/testing'
import type { FastifyInstance } from 'fastify'
import { pino } from 'pino'
import { handlers } from '../src/features/index.ts'
import { buildApp } from '../src/http/app.ts'
import { createDiskSpace } from '../src/http/disk-space.ts'
import type { ManagerServices } from '../src/services.ts'
import type { ManagerSettings } from '../src/settings.ts'
import { openSharedState, type SharedState } from '../src/shared-state.ts'
import { managerShares } from '../src/shares.ts'
import { passwordOf } from './password-of.ts'

/** Who asks and what; the bootstrap administrator in `default_tenant` unless the request says otherwise. */
export { addDeployment, addExecution } from './fixtures.ts'
export { passwordOf } from './password-of.ts'

export type TestRequest = {
  readonly body?: unknown
  /** A user made by `addUser`, whose password is the name's `passwordOf`; null sends no credentials. */
  readonly user?: string | null
  /** null sends no Tenant header. */
  readonly tenant?: string | null
  readonly token?: string
  readonly executionToken?: string
}

export type TestAnswer = {
  readonly status: number
  // biome-ignore lint/suspicious/noExplicitAny: tests look into answers whose shape is what they test
  readonly body: any
  readonly headers: Readonly<Record<string, unknown>>
  readonly text: string
}

export type TestManager = {
  readonly app: FastifyInstance
  readonly db: Database
  /** For those who open the database themselves. */
  readonly connection: PoolConfig
  readonly services: ManagerServices
  /** What hears of other managers; nobody tells it unless a test does. */
  readonly shared: SharedState
  /** `path` is below `/api/v3.1`, unless it starts with `/resources/` or `/api/`. */
  inject(
    method: 'GET' | 'POST' | 'PUT' | 'PATCH' | 'DELETE',
    path: string,
    request?: TestRequest,
  ): Promise<TestAnswer>
  close(): Promise<void>
}

/**
 * The REST service on a database of its own, with the bootstrap administrator; nothing listens on a port. `beside`: on
 * the database of that one, whose keys it has, and which is closed after it.
 */
export async function startTestManager(
  settings: Partial<ManagerSettings> = {},
  beside?: TestManager,
): Promise<TestManager> {
  const { connection, drop } =
    beside === undefined ? await createTestDatabase() : { connection: beside.connection, drop: undefined }
  const dataFolder = await mkdtemp(join(tmpdir(), 'tutti-manager-'))
  const database = openDatabase({ ...connection, max: 5 })
  const { db } = database
  const queue = await openQueue(connection, (error) => {
    throw error
  })
  await bootstrap(db, { dataFolder, adminPassword: passwordOf('admin') })
  const log = pino({ level: 'silent' })
  const allSettings = { ...testSettings, dataFolder, ...settings }
  const shared = await openSharedState(db, allSettings, log)
  const diskSpace = createDiskSpace(allSettings.dataFolder, { refusalMs: 500 })
  const metrics = createMetrics()
  const { readers, hashing, unpacking } = managerShares(metrics)
  const services: ManagerServices = {
    id: randomUUID(),
    db,
    database,
    queue,
    settings: allSettings,
    config: shared.config,
    maintenance: shared.maintenance,
    uploadFolder: allSettings.dataFolder,
    diskSpace,
    executionEnds: watchExecutionEnds(db, readEnd, { diskSpace, awayMs: 15_000 }),
    passwords: createPasswordCheck(hashing),
    slowDown: createSlowDown({ now: () => performance.now(), most: 10_000 }),
    readers,
    unpacking,
    ldapLogins: createLdapLogins(1_000),
    keys: beside?.services.keys ?? openKeyRing([newKey()]),
    // Tests write users and roles behind its back: it is not listening, so it remembers nothing.
    directory: createDirectory(db),
    lockout: () => lockoutOf(shared.config),
    now: () => new Date(),
    log,
    metrics,
  }
  const app = buildApp(services, handlers)
  return {
    app,
    db,
    connection,
    services,
    async inject(method, path, request = {}) {
      const isWhole = path.startsWith('/resources/') || path.startsWith('/api/')
      const answer = await app.inject({
        method,
        url: isWhole ? path : `/api/v3.1${path}`,
        headers: headersOf(request),
        ...(request.body !== undefined && { payload: JSON.stringify(request.body) }),
      })
      const isJson = String(answer.headers['content-type'] ?? '').startsWith('application/json')
      return {
        status: answer.statusCode,
        body: isJson && answer.body !== '' ? JSON.parse(answer.body) : undefined,
        headers: answer.headers,
        text: answer.body,
      }
    },
    shared,
    async close() {
      shared.close()
      await app.close()
      await queue.close()
      await database.close()
      await drop?.()
      await rm(dataFolder, { recursive: true, force: true })
    },
  }
}

export function headersOf({ user = 'admin', tenant = 'default_tenant', token, executionToken }: TestRequest) {
  const basic =
    user === null || token !== undefined || executionToken !== undefined
      ? {}
      : { authorization: `Basic ${Buffer.from(`${user}:${passwordOf(user)}`).toString('base64')}` }
  return {
    'content-type': 'application/json',
    ...basic,
    ...(tenant !== null && { tenant }),
    ...(token !== undefined && { 'authentication-token': token }),
    ...(executionToken !== undefined && { 'execution-token': executionToken }),
  }
}

const testSettings: Omit<ManagerSettings, 'dataFolder'> = {
  host: '127.0.0.1',
  port: 0,
  adminPassword: undefined,
  tlsCertificate: undefined,
  tlsKey: undefined,
  trustedProxies: [],
  encryptionKeys: undefined,
  logLevel: 'silent',
  maxArchiveBytes: 10_000_000,
  maxUnpackedBytes: 50_000_000,
  maxUnpackedEntries: 10_000,
  maxBodyBytes: 10_000_000,
  waitMs: 5_000,
  drainSeconds: 1,
  databaseSeconds: 15,
  allowedHosts: [],
  allowPrivateAddresses: true,
  allowPrivateLdap: false,
  allowPrivateSecretsProviders: false,
}
