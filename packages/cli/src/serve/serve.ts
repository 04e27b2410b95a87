import type { Configuration } from '../configuration/settings.ts'
import { localUrl } from '../profiles/connect.ts'
import type { RunningManager, ServerParts, Store } from './parts.ts'

export type ServeOptions = {
  /** Aborted when the process is asked to stop. */
  readonly signal: AbortSignal
  /** Called once everything runs; `url` is undefined without the api role. */
  readonly onReady: (url: string | undefined) => Promise<void>
  readonly onStopping: () => void
}

/**
 * Runs the roles that the configuration names until the signal comes, then stops them in reverse order, so
 * that the database is the last to go. What was started is stopped too when a later part does not start.
 *
 * @throws whatever a part breaks with
 */
export async function serve<Opened extends Store>(
  configuration: Configuration,
  parts: ServerParts<Opened>,
  options: ServeOptions,
): Promise<void> {
  const stops: (() => Promise<void>)[] = []
  const broken: Promise<never>[] = []
  const own = (part: { readonly broken: Promise<never> }, stop: () => Promise<void>) => {
    stops.unshift(stop)
    broken.push(part.broken)
    // A part may break while the next one still starts; the race below sees it then.
    part.broken.catch(() => {})
  }
  try {
    const store = await parts.openStore(configuration)
    own(store, store.close)
    let manager: RunningManager | undefined
    if (configuration.roles !== 'worker') {
      manager = await parts.startManager(configuration, store)
      own(manager, manager.stop)
    }
    if (configuration.roles !== 'api') {
      const url = configuration.managerUrl ?? manager?.localUrl ?? localUrl(configuration)
      const worker = await parts.startWorker(configuration, store, url)
      own(worker, worker.stop)
    }
    await options.onReady(manager?.url)
    await Promise.race([...broken, aborted(options.signal)])
    options.onStopping()
  } catch (error) {
    const failures = await stopAll(stops, configuration)
    throw failures.length === 0 ? error : new AggregateError([error, ...failures], String(error))
  }
  const [failure] = await stopAll(stops, configuration)
  if (failure !== undefined) throw failure
}

const aborted = (signal: AbortSignal): Promise<void> =>
  new Promise((resolve) => {
    if (signal.aborted) resolve()
    else signal.addEventListener('abort', () => resolve(), { once: true })
  })

/** What a part does after its drain: it ends what it has started, writes its last word and closes its connections. */
const goodbyeMs = 20_000

/**
 * Stops every part, even when one of them fails to, and says which failures there were. A part that hangs, for example on
 * a database that says nothing, does not hold up the others.
 */
async function stopAll(
  stops: readonly (() => Promise<void>)[],
  { drainSeconds }: Pick<Configuration, 'drainSeconds'>,
): Promise<readonly unknown[]> {
  const limitMs = drainSeconds * 1_000 + goodbyeMs
  const failures: unknown[] = []
  for (const stop of stops) {
    await within(limitMs, stop()).catch((error: unknown) => failures.push(error))
  }
  return failures
}

async function within(limitMs: number, stopping: Promise<void>): Promise<void> {
  const late = Promise.withResolvers<never>()
  const timer = setTimeout(() => {
    late.reject(
      new Error(`A part of Tutti did not stop within ${limitMs / 1_000} seconds: it is left as it is`),
    )
  }, limitMs)
  try {
    await Promise.race([stopping, late.promise])
  } finally {
    clearTimeout(timer)
  }
}
