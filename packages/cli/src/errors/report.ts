import type { Environment } from '../environment.ts'
import { jsonText } from '../output/json-text.ts'
import { styleFor } from '../output/style.ts'
import { explain } from './explanation.ts'

/** Writes an error to stderr and says which exit code it means: 1 failed, 2 usage. */
export function reportError(
  environment: Environment,
  error: unknown,
  isJson: boolean,
  listables: readonly string[] = [],
): 1 | 2 {
  const { message, where, code, next, exitCode } = explain(error, listables)
  const { stderr } = environment
  if (isJson) {
    stderr.write(`${jsonText({ error: { message, where, code, next } }, undefined)}\n`)
    return exitCode
  }
  const style = styleFor(stderr, environment)
  const lines = [
    `${style('red', 'error:')} ${message.trim()}`,
    ...(where === undefined ? [] : [`  where: ${where}${code === undefined ? '' : ` (${code})`}`]),
    ...(next === undefined ? [] : [`  next:  ${next}`]),
  ]
  stderr.write(`${lines.join('\n')}\n`)
  return exitCode
}
