import { sql } from 'kysely'
import { Client, type PoolConfig } from 'pg'
import type { Database } from './database.ts'

/**
 * What one process tells the others. Only hints: whoever misses one (a broken connection) finds the same in
 * the tables at its next poll.
 */
export type Notification =
  | { readonly kind: 'execution_ended'; readonly tenantId: number; readonly executionId: string }
  | { readonly kind: 'execution_cancel'; readonly tenantId: number; readonly executionId: string }
  | { readonly kind: 'state_changed'; readonly state: SharedState }
  /** Sent by triggers: users, roles, permissions, or which tenants have global resources. */
  | { readonly kind: 'access_changed' }
  /** Somebody asked for an installation of a plugin, or for its end. */
  | { readonly kind: 'plugin_asked'; readonly tenantId: number; readonly pluginId: string }
  /** `manager` is who heard the wrong password; `key` stands for the user and the address. */
  | { readonly kind: 'login_failed'; readonly key: string; readonly manager: string }

/** What every process keeps in memory (shared/watch.ts). */
export type SharedState = 'config' | 'maintenance'

const channel = 'tutti'
const reconnectDelayMs = 500

/** Sent when the transaction commits. */
export async function notify(db: Database, ...notifications: readonly Notification[]): Promise<void> {
  const payloads = notifications.map((notification) => JSON.stringify(notification))
  await sql`select pg_notify(${channel}, payload) from unnest(${payloads}::text[]) as sent (payload)`.execute(
    db,
  )
}

/**
 * Listens on a connection of its own, which is opened again whenever it breaks, until `close`. Whoever keeps what
 * notifications would change hears through `onListening` from when on it is told, and when that ends.
 */
export function listen(
  config: PoolConfig,
  onNotification: (notification: Notification) => void,
  onListening: (isListening: boolean) => void = () => {},
): { close(): Promise<void> } {
  let closed = false
  let client: Client | undefined
  let retry: NodeJS.Timeout | undefined

  const connect = async () => {
    const next = new Client({ ...config, application_name: 'tutti-listen', keepAlive: true })
    client = next
    const again = () => {
      if (closed || client !== next) return
      client = undefined
      onListening(false)
      void next.end().catch(() => undefined)
      retry = setTimeout(connect, reconnectDelayMs)
    }
    next.on('error', again)
    next.on('end', again)
    next.on('notification', ({ payload }) => {
      if (payload !== undefined) onNotification(JSON.parse(payload) as Notification)
    })
    try {
      await next.connect()
      await next.query(`listen ${channel}`)
      if (client === next) onListening(true)
    } catch {
      again()
    }
  }
  void connect()

  return {
    async close() {
      closed = true
      clearTimeout(retry)
      await client?.end().catch(() => undefined)
    },
  }
}
