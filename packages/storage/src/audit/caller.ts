import type { PostgresPool, PostgresPoolClient } from 'kysely'
import { escapeLiteral } from 'pg'

/** Who makes a change, as the audit log names them. */
export type AuditCaller = {
  readonly username: string
  /** The execution whose token the request carried. */
  readonly executionId: string | undefined
  /** Where the request came from. */
  readonly address: string | undefined
  /** What the log lines of the request, and of executions that it starts, have in common. */
  readonly requestId?: string
}

/** Holds the caller as JSON while a transaction of theirs lasts; the triggers of audit-table.ts read it. */
export const callerSetting = 'tutti.caller'

/**
 * The pool as one caller uses it: each transaction begins by saying who asks. It costs no round trip, since it is said
 * together with `begin`; a single statement that writes gets a transaction of its own for it.
 */
export function announcing(pool: PostgresPool, caller: AuditCaller): PostgresPool {
  const { username, executionId, address, requestId } = caller
  const said = JSON.stringify({ username, execution_id: executionId, address, request_id: requestId })
  const announce = `set local ${callerSetting} = ${escapeLiteral(said)}`
  return {
    options: pool.options,
    // The connections stay those of all others.
    end: async () => {},
    async connect() {
      const client = await pool.connect()
      let isInTransaction = false
      const run = client.query as PlainQuery
      const alone: PlainQuery = async (text, values) => {
        await run(`begin; ${announce}`, [])
        try {
          const result = await run(text, values)
          await run('commit', [])
          return result
        } catch (error) {
          // Without its connection it is rolled back by the server, and what went wrong is known already.
          await run('rollback', []).catch(() => undefined)
          throw error
        }
      }
      const query: PlainQuery = (text, values) => {
        if (beginning.test(text)) {
          isInTransaction = true
          return run(`${text}; ${announce}`, values)
        }
        if (ending.test(text)) isInTransaction = false
        return isInTransaction || isHarmless.test(text) ? run(text, values) : alone(text, values)
      }
      return {
        query: query as PostgresPoolClient['query'],
        release: (destroy) => client.release(destroy),
      }
    },
  }
}

type PlainQuery = (text: string, values: readonly unknown[]) => Promise<{ readonly rows: unknown[] }>

const beginning = /^(begin|start transaction)\b/
const ending = /^(commit|rollback)$/
/** Whatever begins otherwise may write. */
const isHarmless = /^\s*(select|commit|rollback)\b/i
