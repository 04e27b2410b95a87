import { CommanderError } from 'commander'
import type { Environment } from './environment.ts'
import { reportError } from './errors/report.ts'
import { createProgram, nouns } from './program.ts'
import type { ServerParts } from './serve/parts.ts'

const collections = nouns
  .filter(({ commands }) => commands.some(({ usage }) => usage === 'list'))
  .map(({ name }) => name)

/**
 * Runs one command line (without `node` and the script) and returns its exit code: 0 ok, 1 failed, 2 usage.
 */
export async function run(
  args: readonly string[],
  environment: Environment,
  parts: ServerParts,
  version: string,
): Promise<number> {
  let exitCode = 0
  const finish = (code: number) => {
    exitCode = code
  }
  try {
    const program = createProgram({ environment, parts, finish }, version)
    await program.parseAsync([...args], { from: 'user' })
    return exitCode
  } catch (error) {
    if (error instanceof CommanderError) return usageExitCode(error)
    return reportError(environment, error, args.includes('--json'), collections)
  }
}

/** Commander has already written what was wrong, or the help that was asked for. */
const usageExitCode = ({ code }: CommanderError): 0 | 2 =>
  ['commander.helpDisplayed', 'commander.version'].includes(code) ? 0 : 2
