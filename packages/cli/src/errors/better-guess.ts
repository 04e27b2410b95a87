import { type Command, CommanderError } from 'commander'

/** More guesses than these help nobody. */
const mostGuesses = 6

/**
 * The error about an unknown command, with a better guess where there is one. Commander knows only what is
 * spelled like it in the same place; who writes `filters`, `groups` or `exec` looks for `deployments filters`,
 * `user-groups` or `executions`.
 */
export function withBetterGuess(error: unknown, root: Command): unknown {
  if (!(error instanceof CommanderError) || error.code !== 'commander.unknownCommand') return error
  const [, word = ''] = /'(.+)'/.exec(error.message) ?? []
  const guesses = commandsLike(word, root)
  if (guesses.length === 0) return error
  const guess = guesses.length === 1 ? guesses[0] : `one of ${guesses.join(', ')}`
  return new CommanderError(
    error.exitCode,
    error.code,
    `${error.message.split('\n')[0]}\n(Did you mean ${guess}?)`,
  )
}

function commandsLike(word: string, root: Command): readonly string[] {
  if (word.length < 3) return []
  const all = visibleIn(root, [])
  const same = all.filter(({ name }) => singular(name) === singular(word))
  const guesses =
    same.length > 0
      ? same
      : all.filter(
          ({ name, path, isNoun }) =>
            (isNoun || path === name) && name.split('-').some((part) => part.startsWith(word)),
        )
  return guesses.length > mostGuesses ? [] : guesses.map(({ path }) => path)
}

type Known = { readonly name: string; readonly path: string; readonly isNoun: boolean }

const visibleIn = (parent: Command, above: readonly string[]): readonly Known[] =>
  parent
    .createHelp()
    .visibleCommands(parent)
    .filter((command) => command.name() !== 'help')
    .flatMap((command) => {
      const words = [...above, command.name()]
      const known = { name: command.name(), path: words.join(' '), isNoun: command.commands.length > 0 }
      return [known, ...visibleIn(command, words)]
    })

const singular = (word: string): string => word.replace(/s$/, '')
