import { createClient } from '@tutti/client'
import { Argument, type Command } from 'commander'
import { type CommandDefinition, flagsOf } from '../commands/command.ts'
import { resolveConfiguration } from '../configuration/resolve.ts'
import type { Environment } from '../environment.ts'
import { findConnection } from '../profiles/connect.ts'
import { readProfiles } from '../profiles/profile.ts'
import { type Completion, complete, type Word } from './complete.ts'
import { thingWords } from './id-sources.ts'
import { completionScripts, type Shell, shells } from './scripts.ts'

export const completionCommand: CommandDefinition = {
  usage: 'completion',
  arguments: [new Argument('<shell>', 'the shell that you use').choices(shells)],
  description: 'Print a script that makes a shell complete commands, options and ids',
  examples: [
    'tutti completion bash > /etc/bash_completion.d/tutti',
    'source <(tutti completion bash)',
    'tutti completion zsh > /usr/local/share/zsh/site-functions/_tutti',
    'tutti completion fish > ~/.config/fish/completions/tutti.fish',
  ],
  run: async ({ environment }, [shell]) => environment.stdout.write(completionScripts[shell as Shell]),
}

/** Somebody waits with a finger on the key. */
const longestMs = 1_000

/** What the scripts run; it says nothing but candidates, whatever happens. */
export const completeCommand = (root: Command): CommandDefinition => ({
  usage: 'complete <shell> [words...]',
  description: 'Print what may stand at the end of a command line',
  examples: ['tutti complete bash -- users ge'],
  isHidden: true,
  run: async ({ environment }, [shell = '', ...words]) => {
    const completion = complete(root, shell === 'bash' ? rejoined(words) : words)
    const { offer, typed, before } = completion
    if (offer.kind === 'files') return environment.stdout.write(':files\n')
    const candidates =
      offer.kind === 'words'
        ? offer.words.filter(({ value }) => value.startsWith(typed))
        : await askedWords(environment, offer.name, completion).catch((): Word[] => [])
    // Bash replaces only what is behind the last equals sign.
    const start = shell === 'bash' ? '' : before
    environment.stdout.write(
      candidates.map(({ value, description }) => `${start}${value}\t${description}\n`).join(''),
    )
  },
})

async function askedWords(
  environment: Environment,
  name: string,
  { typed, values }: Completion,
): Promise<readonly Word[]> {
  if (name === 'profile') {
    const names = Object.keys((await readProfiles(environment)).profiles)
    return names.filter((one) => one.startsWith(typed)).map((value) => ({ value, description: '' }))
  }
  const call = async () => {
    const { configuration } = await resolveConfiguration(environment, flagsOf(values))
    return createClient(await findConnection(environment, configuration), environment.fetch).call
  }
  return thingWords(name, typed, values, call, AbortSignal.timeout(longestMs))
}

/** Bash gives `--tenant=web` as three words. */
function rejoined(words: readonly string[]): readonly string[] {
  const joined: string[] = []
  words.forEach((word, index) => {
    const isPart = joined.length > 0 && (word === '=' || words[index - 1] === '=')
    if (isPart) joined.push(`${joined.pop()}${word}`)
    else joined.push(word)
  })
  return joined
}
