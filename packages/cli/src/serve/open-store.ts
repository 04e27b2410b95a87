import {
  createMetrics,
  migrate,
  type OpenDatabase,
  openDatabase,
  openQueue,
  type PoolConfig,
  type Queue,
  type Registry,
  releaseAllLeases,
  startEmbeddedPostgres,
} from '@tutti/storage'
import { type Logger, pino } from 'pino'
import type { Configuration } from '../configuration/settings.ts'
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
    const database = openDatabase({
      ...server.connection,
      // Their words only: the pools hang the whole connection on their errors.
      onIdleError: ({ message }) =>
        log.warn({ why: message }, 'a database connection broke; it is opened again when needed'),
    })
    try {
      await migrate(database.db)
      if (server.isOwn) await releaseAllLeases(database.db)
      const queue = await openQueue(server.connection, ({ message }) =>
        log.warn({ why: message }, 'the queue could not be read; it is tried again'),
      )
      const metrics = createMetrics()
      const { metricsHost: host, metricsPort: port } = configuration
      const listener = port === undefined ? undefined : await startMetricsListener(metrics, { host, port })
      return {
        database,
        connection: server.connection,
        isOwn: server.isOwn,
        queue,
        log,
        metrics,
        broken: new Promise<never>(() => {}),
        async close() {
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
  const postgres = await startEmbeddedPostgres({ dataFolder, log: (message) => log.info(message) })
  return { connection: postgres.connection, isOwn: true, stop: () => postgres.stop() }
}
