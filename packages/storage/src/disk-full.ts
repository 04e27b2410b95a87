/** What the system says when a file cannot grow, and PostgreSQL when one of its own cannot. */
const noRoom = /^(ENOSPC|EDQUOT|53100)$/

/** Whether the error, or what caused it, says that a disk is full. What was under way has not been done. */
export function isDiskFull(error: unknown): boolean {
  for (let at = error; at instanceof Error; at = at.cause) {
    const { code } = at as NodeJS.ErrnoException
    if (typeof code === 'string' && noRoom.test(code)) return true
  }
  return false
}
