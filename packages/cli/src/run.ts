import { CommanderError } from 'commander'
import type { Noun } from './commands/command.ts'
import type { Environment } from './environment.ts'
import { withBetterGuess } from './errors/better-guess.ts'
import { reportError } from './errors/report.ts'
import { withCleanOutput } from './output/clean-output.ts'
import { createProgram, nouns } from './program.ts'
import type { ServerParts } from './serve/parts.ts'

const listablesIn = ({ name, commands, nouns: inner = [] }: Noun): readonly string[] => [
  ...(commands.some(({ usage }) => usage === 'list') ? [name] : []),
  ...inner.flatMap(listablesIn).map((words) => `${name} ${words}`),
]
const listables = nouns.flatMap(listablesIn)

/**
 * Runs one command line (without `node` and the script) and returns its exit code: 0 ok, 1 failed, 2 usage.
 */
export async function run(
  args: readonly string[],
  given: Environment,
  parts: ServerParts,
  version: string,
): Promise<number> {
  const environment = withCleanOutput(given)
  let exitCode = 0
  const finish = (code: number) => {
    exitCode = code
  }
  const program = createProgram({ environment, parts, finish }, version)
  try {
    await program.parseAsync([...args], { from: 'user' })
    return exitCode
  } catch (error) {
    const shown = error instanceof CommanderError ? exitCodesOfHelp.get(error.code) : undefined
    if (shown !== undefined) return shown
    return reportError(environment, withBetterGuess(error, program), args.includes('--json'), listables)
  }
}

/** Commander has written what was asked for, or the help of a noun without a verb. */
const exitCodesOfHelp: ReadonlyMap<string, 0 | 2> = new Map([
  ['commander.helpDisplayed', 0],
  ['commander.version', 0],
  ['commander.help', 2],
])
