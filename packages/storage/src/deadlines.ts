import type { PostgresPool, PostgresPoolClient } from 'kysely'
import { Client, type PoolConfig } from 'pg'

/** What the server is told to end by itself, and what is given up here when the server says nothing at all. */
export type Deadlines = {
  /** Longest wait for a connection, for a lock, and for any word of a server that does not answer. */
  readonly silenceMs: number
  /** Longest time of one statement, also of a server that is well. */
  readonly statementMs: number
}

/** Thrown in place of an answer that does not come. The code is the one that a broken connection would have. */
export class DatabaseSilent extends Error {
  override readonly name = 'DatabaseSilent'
  readonly code = 'ETIMEDOUT'

  constructor(ms: number) {
    super(`the database has not answered for ${Math.round(ms / 1_000)} seconds`)
  }
}

type Wait = { readonly sinceMs: number; fail(error: Error): void }

/** A statement is looked after from then on, in parts of the silence; the rest is for asking whether the server is well. */
const suspicion = 0.75
const looksPerSilence = 15

/**
 * The pool, with an end to every wait for it. The server's own limits end what waits for a lock or runs for too long; a
 * server that is halted, or out of reach without anybody's saying so, would leave its clients waiting for ever. So when
 * an answer is late, another connection asks whether the server is well, and if that gets no answer either, whoever
 * waits is told. A slow statement of a server that is well goes on.
 */
export function withDeadlines(
  pool: PostgresPool,
  { silenceMs, statementMs }: Deadlines,
  isWell: (limitMs: number) => Promise<boolean>,
): PostgresPool {
  const waits = new Set<Wait>()
  let timer: NodeJS.Timeout | undefined
  let isAsking = false

  async function look(): Promise<void> {
    const suspects = () => [...waits].filter(({ sinceMs }) => msSince(sinceMs) >= silenceMs * suspicion)
    // The server itself ends what takes too long; but the process that should may be halted while the others are well.
    const lastMs = statementMs + silenceMs
    for (const { sinceMs, fail } of suspects())
      if (msSince(sinceMs) > lastMs) fail(new DatabaseSilent(lastMs))
    if (isAsking || suspects().length === 0) return
    isAsking = true
    const asked = suspects()
    const limitMs = silenceMs * (1 - suspicion)
    if (!(await isWell(limitMs))) {
      for (const wait of asked) if (waits.has(wait)) wait.fail(new DatabaseSilent(silenceMs))
    }
    isAsking = false
  }

  async function within<T>(sinceMs: number, work: Promise<T>): Promise<T> {
    const { promise, resolve, reject } = Promise.withResolvers<T>()
    const wait = { sinceMs, fail: reject }
    waits.add(wait)
    timer ??= setInterval(() => void look(), silenceMs / looksPerSilence).unref()
    work.then(resolve, reject)
    try {
      return await promise
    } finally {
      waits.delete(wait)
      if (waits.size === 0) {
        clearInterval(timer)
        timer = undefined
      }
    }
  }

  return {
    options: pool.options,
    end: () => pool.end(),
    async connect() {
      const askedAtMs = performance.now()
      const connecting = pool.connect()
      const client = await within(askedAtMs, connecting).catch((error: unknown) => {
        connecting.then(
          (late) => late.release(true),
          () => undefined,
        )
        throw error
      })
      const run = client.query as Query
      let broken: DatabaseSilent | undefined
      // The wait for the connection and for the first statement is one for whoever asks.
      let sinceMs: number | undefined = askedAtMs
      const query: Query = async (text, values) => {
        if (broken !== undefined) throw broken
        const beganMs = sinceMs ?? performance.now()
        sinceMs = undefined
        try {
          return await within(beganMs, run(text, values))
        } catch (error) {
          if (error instanceof DatabaseSilent) broken = error
          throw error
        }
      }
      return {
        query: query as PostgresPoolClient['query'],
        release: (destroy) => client.release(destroy === true || broken !== undefined),
      }
    },
  }
}

type Query = (text: string, values: readonly unknown[]) => Promise<unknown>

const msSince = (atMs: number): number => performance.now() - atMs

/** Whether the server answers over a new connection. A refusal is an answer. */
export async function answersWithin(config: PoolConfig, limitMs: number): Promise<boolean> {
  const client = new Client({ ...config, application_name: 'tutti-probe', connectionTimeoutMillis: limitMs })
  client.on('error', () => undefined)
  const { promise, resolve } = Promise.withResolvers<boolean>()
  const late = setTimeout(() => resolve(false), limitMs)
  client
    .connect()
    .then(() => client.query('select'))
    .then(
      () => resolve(true),
      (error: { readonly code?: unknown }) =>
        resolve(typeof error.code === 'string' && sqlState.test(error.code)),
    )
  try {
    return await promise
  } finally {
    clearTimeout(late)
    void client.end().catch(() => undefined)
  }
}

/** Said by the server; what the system says of a socket is longer. */
const sqlState = /^[0-9A-Z]{5}$/
