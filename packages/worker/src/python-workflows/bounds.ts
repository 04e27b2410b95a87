import { outputLimitBytes } from '../operations/index.ts'

/**
 * What a workflow's process may ask of its worker. It runs code that is not ours: whatever it says without an end would
 * fill the worker's memory, or the database.
 */
export const bounds = {
  /** Of a line, which is a task or a few hundred of them, or the result of a local task. */
  lineBytes: outputLimitBytes + 1024 * 1024,
  /** Of a graph. */
  tasks: 200_000,
  /** Of the text of a graph's tasks that no graph is made of yet. */
  describedBytes: 64 * 1024 * 1024,
  /** Of an execution, stored. */
  graphs: 1_000,
  /** At work at the same time, as each has its own loop. */
  running: 64,
  /** Told to the process and not read by it: then graphs wait. */
  unreadBytes: 8 * 1024 * 1024,
  /** Deeper values cost whoever goes through them their stack. */
  nesting: 200,
} as const
