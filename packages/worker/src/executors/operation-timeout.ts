/** Milliseconds after which an operation is ended: those of its blueprint, else the worker's; null: never. */
export const timeoutOf = (seconds: unknown, workersMs: number): number | null => {
  if (typeof seconds === 'number' && seconds > 0) return seconds * 1000
  return workersMs > 0 ? workersMs : null
}
