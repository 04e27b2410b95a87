import type { JsonValue } from './json.ts'

/** An event or a log line of an operation itself: it keeps its place among the engine's own. */
export type OperationRecord = {
  readonly isLog: boolean
  readonly timestampMs: number
  readonly message: string
  /** Of events. */
  readonly type: string | null
  /** Of log lines. */
  readonly level: string | null
  readonly logger: string | null
  readonly operation: string | null
  readonly nodeInstanceId: string | null
  /** Node instances of a relationship operation. */
  readonly sourceId: string | null
  readonly targetId: string | null
  readonly errorCauses: readonly JsonValue[]
}
