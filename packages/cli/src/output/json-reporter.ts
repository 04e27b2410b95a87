import type { Environment } from '../environment.ts'
import { jsonText } from './json-text.ts'
import type { Reporter } from './reporter.ts'

/** Events as they come, one JSON object a line, and the result as the last line. */
export function jsonReporter({ stdout }: Environment): Reporter {
  const line = (value: unknown) => stdout.write(`${jsonText(value, undefined)}\n`)
  return {
    step: (_text, run) => run(),
    event: line,
    progress: () => {},
    note: () => {},
    result: line,
  }
}
