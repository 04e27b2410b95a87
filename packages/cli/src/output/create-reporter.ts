import type { Environment } from '../environment.ts'
import { jsonReporter } from './json-reporter.ts'
import { plainReporter } from './plain-reporter.ts'
import type { Reporter } from './reporter.ts'
import { terminalReporter } from './terminal-reporter.ts'

/**
 * Live on a terminal, plain lines elsewhere, a JSON object a line with `--json`. `hint` says beside the live progress
 * what Ctrl-C does.
 */
export function createReporter(
  environment: Environment,
  { isJson, hint = 'Ctrl-C detaches' }: { readonly isJson: boolean; readonly hint?: string },
): Reporter {
  if (isJson) return jsonReporter(environment)
  const isLive = environment.stdout.isTerminal && environment.variables.TERM !== 'dumb'
  return isLive ? terminalReporter(environment, hint) : plainReporter(environment)
}
