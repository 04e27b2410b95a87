import { type Event, type Execution, isEndStatus } from '@tutti/api'
import type { Call } from './call.ts'
import { ClientError, ConnectionError } from './errors.ts'
import { list } from './pages.ts'
import { firstPauseMs, nextPauseMs, type Wait, wait } from './wait.ts'

export type FollowOptions = {
  /** Called once for every event and log, in the order of the manager. */
  readonly onEvent?: (event: Event) => void
  /** Called after each look at the execution. */
  readonly onExecution?: (execution: Execution) => void
  /** Called when the manager does not answer and following goes on trying. */
  readonly onConnectionLost?: (error: Error) => void
  /** Logs besides events; default true. */
  readonly includeLogs?: boolean
  readonly signal?: AbortSignal | undefined
  /** How long a manager may be away in one go; default one minute. */
  readonly patienceMs?: number
  readonly wait?: Wait
}

const pageSize = 100

/** Events that were on their way while the last page was read sort before it: look again this far back. */
const overlap = 50

/**
 * Waits until an execution has ended and hands over its events on the way. Events are stored no later than
 * the state that they explain, so none is missing when an end status was seen before the last page.
 *
 * @throws ClientError, ConnectionError; the signal's reason when aborted
 */
export async function followExecution(
  call: Call,
  executionId: string,
  options: FollowOptions = {},
): Promise<Execution> {
  const pause = options.wait ?? wait
  const events = eventReader(call, executionId, options)
  let pauseMs = firstPauseMs
  let awayMs = 0
  for (;;) {
    try {
      const execution = await call('executions.get', {
        params: { execution_id: executionId },
        signal: options.signal,
      })
      const count = await events.readNew()
      awayMs = 0
      options.onExecution?.(execution)
      if (isEndStatus(execution.status)) return execution
      pauseMs = count > 0 ? firstPauseMs : nextPauseMs(pauseMs)
    } catch (error) {
      if (!isPassing(error) || awayMs >= (options.patienceMs ?? 60_000)) throw error
      options.onConnectionLost?.(error)
      awayMs += pauseMs
      pauseMs = nextPauseMs(pauseMs)
    }
    await pause(pauseMs, options.signal)
  }
}

const isPassing = (error: unknown): error is Error =>
  error instanceof ConnectionError || (error instanceof ClientError && [502, 503, 504].includes(error.status))

function eventReader(call: Call, executionId: string, options: FollowOptions) {
  const seen = new Set<number>()
  let offset = 0

  async function readPage(from: number): Promise<{ fresh: number; end: number; total: number }> {
    const { items, metadata } = await list(call, 'events.list', {
      query: {
        execution_id: executionId,
        _sort: 'timestamp',
        _offset: from,
        _size: pageSize,
        ...(options.includeLogs === false ? { type: 'svc_event' } : {}),
      },
      signal: options.signal,
    })
    const fresh = items.filter((event) => !seen.has(event._storage_id))
    for (const event of fresh) {
      seen.add(event._storage_id)
      options.onEvent?.(event)
    }
    return { fresh: fresh.length, end: from + items.length, total: metadata.pagination.total }
  }

  return {
    /** Hands over what is new and says how many. */
    async readNew(): Promise<number> {
      let count = 0
      for (let from = Math.max(0, offset - overlap); ; from = offset) {
        const { fresh, end, total } = await readPage(from)
        count += fresh
        offset = Math.max(offset, end)
        if (end >= total || end === from) return count
      }
    },
  }
}
