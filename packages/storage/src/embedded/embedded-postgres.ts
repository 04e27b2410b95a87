import { rm } from 'node:fs/promises'
import { join } from 'node:path'
import { setTimeout as delay } from 'node:timers/promises'
import { accessMap, accessRules } from './access-files.ts'
import { type Binaries, provideBinaries } from './binaries.ts'
import { chooseSocketFolder, type DataFolder, prepareDataFolder } from './data-folder.ts'
import { type FolderLock, lockDataFolder } from './data-folder-lock.ts'
import { EmbeddedPostgresError } from './error.ts'
import { handOver } from './hand-over.ts'
import { initialise, superuser } from './initialise.ts'
import {
  clearStaleServer,
  findRunningServer,
  readPostmasterFile,
  whenNoProcessWorksIn,
} from './postmaster-file.ts'
import { answers, ensureDatabase, lastLogLines, whenReady } from './readiness.ts'
import { type ServerProcess, spawnServer, watchServer } from './server-process.ts'
import { assertReachable, type UserRange } from './server-user.ts'
import { printSettings, settings } from './settings.ts'
import { hasSettings, type SettingsFiles, writeSettings } from './settings-file.ts'

export type EmbeddedPostgresOptions = {
  /** Made when it is missing. One process owns it at a time. */
  readonly dataFolder: string
  /** One line for people about each thing that happened to the server. */
  readonly log: (message: string) => void
  /** Where the programs are copied to; below the data folder unless given. */
  readonly cacheFolder?: string
  /**
   * Replacements for settings of postgresql.conf. For test harnesses: a database whose `fsync` is off does
   * not survive a power cut.
   */
  readonly settings?: Readonly<Record<string, string>>
  /** User ids that are others': PostgreSQL runs as none of them. */
  readonly reservedUsers?: UserRange | undefined
  readonly startTimeoutMs?: number
  readonly stopTimeoutMs?: number
}

/** What `new Pool(…)` of `pg` takes. */
export type ConnectionConfig = {
  readonly host: string
  readonly port: number
  readonly user: string
  readonly database: string
}

const databaseName = 'tutti'

/**
 * Starts the PostgreSQL of `dataFolder`, or takes over the one that a killed process left running there, and
 * keeps it running until `stop`. Resolves when it runs queries and its database is there (architecture 3).
 *
 * @throws EmbeddedPostgresError
 */
export async function startEmbeddedPostgres(options: EmbeddedPostgresOptions): Promise<EmbeddedPostgres> {
  const folder = await prepareDataFolder(options.dataFolder, options.reservedUsers)
  const lock = await lockDataFolder(folder.root, () => answers(folder.home))
  try {
    const binaries = await provideBinaries(options.cacheFolder ?? join(folder.root, 'cache'))
    await assertReachable(join(binaries.postgres, '..'), folder.user)
    const made = await initialise(folder, binaries)
    if (made === 'made') options.log(`made a new PostgreSQL data directory, ${folder.data}`)
    const server = new EmbeddedPostgres(options, folder, binaries)
    await server.start(lock)
    return server
  } catch (error) {
    await lock.release()
    throw error
  }
}

/** Owns the server process, its socket and the lock of the data folder. Made by {@link startEmbeddedPostgres}. */
export class EmbeddedPostgres {
  readonly #options: EmbeddedPostgresOptions
  readonly #folder: DataFolder
  readonly #binaries: Binaries
  readonly #stopping = new AbortController()
  readonly #exitListeners = new Set<(reason: string) => void>()
  #lock: FolderLock | undefined
  #socketFolder = ''
  #server: ServerProcess | undefined
  #supervision: Promise<void> = Promise.resolve()
  #stopped: Promise<void> | undefined

  constructor(options: EmbeddedPostgresOptions, folder: DataFolder, binaries: Binaries) {
    this.#options = options
    this.#folder = folder
    this.#binaries = binaries
  }

  /** The server's process, or undefined while it is being restarted and after `stop`. */
  get pid(): number | undefined {
    return this.#server?.pid
  }

  /** Stays the same when the server is restarted. */
  get connection(): ConnectionConfig {
    return { host: this.#socketFolder, port: 5432, user: superuser, database: databaseName }
  }

  /** {@link connection} as a URL, for `pg` and for libpq (psql, pg_dump). */
  get connectionString(): string {
    return `postgresql://${superuser}@${encodeURIComponent(this.#socketFolder)}:5432/${databaseName}`
  }

  /**
   * Calls `listener` whenever the server ends without `stop`. It is restarted at once; until it is back,
   * connections break or are refused, and whoever reconnects and repeats goes on.
   */
  onExit(listener: (reason: string) => void): () => void {
    this.#exitListeners.add(listener)
    return () => this.#exitListeners.delete(listener)
  }

  /** Called once, by {@link startEmbeddedPostgres}. When it fails, nothing runs and `lock` is still the caller's. */
  async start(lock: FolderLock): Promise<void> {
    try {
      const running = await this.#adopt()
      this.#socketFolder = running?.socketFolder ?? (await chooseSocketFolder(this.#folder))
      this.#server = running?.server ?? (await this.#launch())
      await ensureDatabase(this.#socketFolder, databaseName)
      this.#supervision = this.#supervise(this.#server)
      this.#lock = lock
    } catch (error) {
      await this.stop()
      throw error
    }
  }

  /** Waits for running transactions to be rolled back and for the last checkpoint; then frees the data folder. */
  stop(): Promise<void> {
    this.#stopped ??= this.#stop()
    return this.#stopped
  }

  /** Takes over a server that runs with these programs and settings; ends one that runs with others. */
  async #adopt(): Promise<{ server: ServerProcess; socketFolder: string } | undefined> {
    const found = await findRunningServer(this.#folder.data)
    if (found === undefined) return undefined
    const server = watchServer(found.identity)
    const { socketFolder } = found
    const sameProgram = found.executable === undefined || found.executable === this.#binaries.postgres
    const sameSettings = await hasSettings(this.#folder, this.#settingsFiles(socketFolder))
    // A cleaner of the temporary folder may have taken the socket away.
    if (sameProgram && sameSettings && (await answers(socketFolder))) {
      if ((await whenReady(server, socketFolder, this.#startDeadline())) === undefined) {
        this.#options.log(`took over the PostgreSQL process ${server.pid} that was left running`)
        return { server, socketFolder }
      }
    }
    await this.#end(server)
    this.#options.log(`ended the PostgreSQL process ${server.pid} of an earlier installation`)
    return undefined
  }

  async #launch(): Promise<ServerProcess> {
    await clearStaleServer(this.#folder.data, this.#socketFolder)
    await handOver(this.#folder.home, this.#folder.user)
    await writeSettings(this.#folder, this.#settingsFiles(this.#socketFolder))
    const server = await spawnServer(this.#folder, this.#binaries)
    const failure = await whenReady(server, this.#socketFolder, this.#startDeadline())
    if (failure === undefined) {
      this.#options.log(`started PostgreSQL as process ${server.pid}, user id ${this.#folder.user.uid}`)
      return server
    }
    await this.#end(server)
    await whenNoProcessWorksIn(this.#folder.data) // its logger writes the reason last
    throw new EmbeddedPostgresError(
      'start_failed',
      `PostgreSQL did not start in ${this.#folder.data}: ${failure}. The data were not changed. Its log, in ` +
        `${this.#folder.log}, ends with:\n${await lastLogLines(this.#folder)}`,
    )
  }

  async #supervise(first: ServerProcess): Promise<void> {
    for (let server = first; ; ) {
      const reason = await server.ended
      if (this.#stopping.signal.aborted) return
      this.#server = undefined
      this.#options.log(`PostgreSQL ended by itself (${reason}); restarting it`)
      for (const listener of this.#exitListeners) listener(reason)
      const next = await this.#relaunch()
      if (next === undefined) return
      this.#server = next
      if (this.#stopping.signal.aborted) return // `stop` was called meanwhile, and ends it
      server = next
    }
  }

  /** Tries until it succeeds: the reason (a full disk, say) may go away, and nothing works without it. */
  async #relaunch(): Promise<ServerProcess | undefined> {
    for (let waitMs = 100; ; waitMs = Math.min(waitMs * 2, 30_000)) {
      try {
        return await this.#launch()
      } catch (error) {
        if (this.#stopping.signal.aborted) return undefined
        this.#options.log(`${(error as Error).message}\nTrying again in ${waitMs / 1000} s`)
        await delay(waitMs, undefined, { signal: this.#stopping.signal }).catch(() => undefined)
        if (this.#stopping.signal.aborted) return undefined
      }
    }
  }

  async #stop(): Promise<void> {
    this.#stopping.abort()
    if (this.#server !== undefined) await this.#end(this.#server)
    await this.#supervision
    // A restart that was under way when stop was called may have succeeded.
    if (this.#server !== undefined) await this.#end(this.#server)
    this.#server = undefined
    const { home } = this.#folder
    const hasOwnSocketFolder = this.#socketFolder !== '' && this.#socketFolder !== home
    if (hasOwnSocketFolder) await rm(this.#socketFolder, { recursive: true, force: true })
    await this.#lock?.release()
  }

  /** SIGINT is PostgreSQL's fast shutdown: roll back, checkpoint, exit. SIGQUIT leaves recovery to the next start. */
  async #end(server: ServerProcess): Promise<void> {
    const { stopTimeoutMs = 60_000 } = this.#options
    for (const signal of ['SIGINT', 'SIGQUIT', 'SIGKILL'] as const) {
      if (!(await server.signal(signal))) return
      const timer = new AbortController()
      const ended = await Promise.race([
        server.ended.then(() => true),
        delay(stopTimeoutMs, false, { signal: timer.signal }),
      ])
      timer.abort()
      if (ended) return
      this.#options.log(`PostgreSQL did not end within ${stopTimeoutMs} ms of ${signal}`)
    }
    const file = await readPostmasterFile(this.#folder.data)
    throw new EmbeddedPostgresError(
      'stop_failed',
      `the PostgreSQL process ${file?.pid ?? server.pid} in ${this.#folder.data} cannot be ended. It probably ` +
        'waits for a disk that does not answer: look at the kernel log',
    )
  }

  #settingsFiles(socketFolder: string): SettingsFiles {
    return {
      'postgresql.conf': printSettings(settings(socketFolder), this.#options.settings ?? {}),
      'pg_hba.conf': accessRules,
      'pg_ident.conf': accessMap(superuser),
    }
  }

  #startDeadline(): AbortSignal {
    return AbortSignal.timeout(this.#options.startTimeoutMs ?? 600_000)
  }
}
