import type { Notification, SharedState } from '../notifications.ts'

/** What stands in the database and every process keeps in memory, so that reading it costs nothing. */
export type Watched<Value> = {
  readonly current: Value
  /** Reads it again; whoever has just changed it waits for this. Rejects when the database does. */
  refresh(): Promise<void>
  onNotification(notification: Notification): void
  /** What was said while nobody listened is read when somebody listens again. */
  onListening(isListening: boolean): void
  close(): void
}

export type WatchOptions<Value> = {
  readonly onError: (error: unknown) => void
  /** Called with the first value and after every reading. */
  readonly onChange?: (value: Value) => void
}

/** A change whose notification got lost is seen after this long. */
const boundMs = 5_000

/**
 * Keeps a value up to date: after a notification at once, else within the bound. While the database is away, the last
 * value stands. Rights, which must not outlive a doubt, are remembered otherwise: by key, and forgotten
 * (`domain/src/authentication/directory.ts`).
 */
export async function watch<Value>(
  state: SharedState,
  load: () => Promise<Value>,
  { onError, onChange }: WatchOptions<Value>,
): Promise<Watched<Value>> {
  let [asked, answered] = [0, 0]
  let current = await load()
  onChange?.(current)
  const refresh = async () => {
    asked += 1
    const turn = asked
    const value = await load()
    // Answers may overtake each other: an older one says nothing any more.
    if (turn < answered) return
    answered = turn
    current = value
    onChange?.(current)
  }
  const timer = setInterval(() => void refresh().catch(onError), boundMs)
  timer.unref()
  return {
    get current() {
      return current
    },
    refresh,
    onNotification(notification) {
      if (notification.kind === 'state_changed' && notification.state === state) {
        void refresh().catch(onError)
      }
    },
    onListening(isListening) {
      if (isListening) void refresh().catch(onError)
    },
    close: () => clearInterval(timer),
  }
}
