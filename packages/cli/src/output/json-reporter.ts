import type { Environment } from '../environment.ts'
import type { Reporter } from './reporter.ts'

/** Events as they come, one JSON object a line, and the result as the last line. */
export function jsonReporter({ stdout }: Environment): Reporter {
  const line = (value: unknown) => stdout.write(`${JSON.stringify(value)}\n`)
  return {
    step: (_text, run) => run(),
    event: line,
    progress: () => {},
    note: () => {},
    result: line,
  }
}
