import type { Event, Execution } from '@tutti/api'
import type { Environment } from '../environment.ts'
import { jsonReporter } from './json-reporter.ts'
import { plainReporter } from './plain-reporter.ts'
import { terminalReporter } from './terminal-reporter.ts'

/** Tells what a command that takes its time is doing. */
export type Reporter = {
  /** Runs a step: says that it began, then how it ended. */
  readonly step: <Result>(text: string, run: () => Promise<Result>) => Promise<Result>
  readonly event: (event: Event) => void
  /** The state of the execution that is followed; undefined when following is over. */
  readonly progress: (execution: Execution | undefined) => void
  readonly note: (text: string) => void
  /** The last word: as JSON `result`, for people `text`. */
  readonly result: (result: unknown, text: string) => void
}

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
