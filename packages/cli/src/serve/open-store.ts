import { join } from 'node:path'
import {
  createMetrics,
  type Database,
  migrate,
  type OpenDatabase,
  openDatabase,
  openQueue,
  type PoolConfig,
  ping,
  type Queue,
  type Registry,
  releaseAllLeases,
  startEmbeddedPostgres,
  sweepUnpackedArchives,
} from '@tutti/storage'
import { type Logger, pino } from 'pino'
import type { Configuration } from '../configuration/settings.ts'
import { leaseMs } from './lease-time.ts'
import { startMetricsListener } from './metrics-listener.ts'
import type { Store } from './parts.ts'

/** The database and what goes with it, for the manager and the worker of this process. */
export type OpenStore = Store & {
  readonly database: OpenDatabase
  readonly connection: PoolConfig
  readonly queue: Queue
  readonly log: Logger
  /** What this process tells Prometheus: each part adds to it. */
  readonly metrics: Registry
  /** No other process can reach it. */
  readonly isOwn: boolean
}

/** Opens the embedded database, or the one at `TUTTI_DATABASE_URL`, and brings it up to this version. */
export async function openStore(configuration: Configuration): Promise<OpenStore> {
  // JSON lines on standard error; standard output is for what the command itself has to say.
  const log = pino({ level: configuration.logLevel, base: null }, pino.destination({ fd: 2, sync: true }))
  const server = await openServer(configuration, log)
  try {
    await migrateApart(server.connection)
    const metrics = createMetrics()
    const database = openDatabase({
      ...server.connection,
      silenceMs: configuration.databaseSeconds * 1_000,
      metrics,
      ...(!server.isOwn && { idleInTransactionMs: idleInTransactionMs(configuration.leaseSeconds) }),
      // Their words only: the pools hang the whole connection on their errors.
      onIdleError: ({ message }) =>
        log.warn({ why: message }, 'a database connection broke; it is opened again when needed'),
    })
    try {
      if (server.isOwn) await releaseAllLeases(database.db)
      const queue = await openQueue(server.connection, ({ message }) =>
        log.warn({ why: message }, 'the queue could not be read; it is tried again'),
      )
      const { metricsHost: host, metricsPort: port } = configuration
      const listener =
        port === undefined
          ? undefined
          : await startMetricsListener(metrics, { host, port }, () => isReady(database.db))
      const unpacked = sweepUnpackedArchives(database.db, join(configuration.dataFolder, 'archives'), {
        onError: (error) => log.warn({ err: error }, 'unpacked archives could not be removed yet'),
      })
      return {
        database,
        connection: server.connection,
        isOwn: server.isOwn,
        queue,
        log,
        metrics,
        broken: new Promise<never>(() => {}),
        async close() {
          await unpacked.stop()
          await listener?.close()
          await queue.close()
          await database.close()
          await server.stop()
        },
      }
    } catch (error) {
      await database.close()
      throw error
    }
  } catch (error) {
    await server.stop()
    throw error
  }
}

/** Managers and workers can do nothing without their database. */
const isReady = (db: Database): Promise<boolean> =>
  ping(db).then(
    () => true,
    () => false,
  )

/**
 * A worker that is halted in the middle of a transaction holds the rows of what it runs, and no other one can take that
 * over before PostgreSQL has ended the transaction: so it does before the lease runs out, which was renewed at most a
 * third of it earlier.
 */
const idleInTransactionMs = (leaseSeconds: number): number => Math.round(leaseMs(leaseSeconds) * (2 / 3))

/** Whoever migrates takes the time that it takes, and others that start meanwhile wait for the end of it. */
async function migrateApart(connection: PoolConfig): Promise<void> {
  const patient = { lock_timeout: 0, statement_timeout: 0, idle_in_transaction_session_timeout: 0 }
  const database = openDatabase({ ...connection, ...patient, silenceMs: migrationMs, max: 2 })
  try {
    await migrate(database.db)
  } finally {
    await database.close()
  }
}

const migrationMs = 6 * 3_600_000

type Server = {
  readonly connection: PoolConfig
  /** No other process can reach it. */
  readonly isOwn: boolean
  stop(): Promise<void>
}

async function openServer(configuration: Configuration, log: Logger): Promise<Server> {
  const { databaseUrl, dataFolder } = configuration
  if (databaseUrl !== undefined) {
    return { connection: { connectionString: databaseUrl }, isOwn: false, stop: async () => {} }
  }
  const postgres = await startEmbeddedPostgres({
    dataFolder,
    reservedUsers: configuration.operationUsers,
    log: (message) => log.info(message),
  })
  return { connection: postgres.connection, isOwn: true, stop: () => postgres.stop() }
}
