/**
 * SQLSTATE classes after which the same transaction may succeed unchanged: 08 broken connections, 25006 a standby
 * that is not promoted yet, 25P03 a transaction that idled for too long, 40001 and 40P01 lost races, 53 resources that
 * ran out, 55P03 a lock that was not to be had in time, 57014 a statement that was ended, mostly for its time, 57P
 * shutdown and start.
 */
const passingStates = /^(08|25006|25P03|40001|40P01|53|55P03|57014|57P0)/

/** A newer Tutti has changed a table under a prepared statement; its connection is not used again. */
const outdatedStatement = /^cached plan must not change result type/

/** What the system says of a socket; a file that is missing is ENOENT too, but not from `connect`. */
const brokenSocket =
  /^(ECONN(REFUSED|RESET|ABORTED)|EPIPE|ETIMEDOUT|EHOSTUNREACH|ENETUNREACH|ENOTFOUND|EAI_AGAIN)$/

/** The driver's own words; it gives these errors no code. */
const brokenConnection =
  /^(Connection terminated|Client (has encountered a connection error|was closed) and is not queryable|timeout exceeded when trying to connect|timeout expired)/

/**
 * Whether the error says that the database does not answer now, rather than that it refused what it was told. What
 * was under way may have been committed or not: whoever repeats it must be able to tell.
 */
export function isDatabaseAway(error: unknown): boolean {
  if (!(error instanceof Error)) return false
  const { code, syscall } = error as NodeJS.ErrnoException
  if (code === undefined) return brokenConnection.test(error.message)
  return (
    passingStates.test(code) ||
    brokenSocket.test(code) ||
    (code === 'ENOENT' && syscall === 'connect') ||
    (code === '0A000' && outdatedStatement.test(error.message))
  )
}
