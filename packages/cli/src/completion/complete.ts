import type { Argument, Command, Option } from 'commander'

/** What may stand at the end of a command line. */
export type Completion = {
  readonly offer:
    | { readonly kind: 'words'; readonly words: readonly Word[] }
    /** Ids of these things, by the name that help texts have for them: `blueprint`. */
    | { readonly kind: 'things'; readonly name: string }
    | { readonly kind: 'files' }
  /** What is typed of it so far. */
  readonly typed: string
  /** Of the same shell word, before what is completed: `--tenant=`. */
  readonly before: string
  /** Values of the options so far, by their camel-case names. */
  readonly values: Readonly<Record<string, unknown>>
}

export type Word = { readonly value: string; readonly description: string }

/** What fits after the words of a command line, of which the last is being typed. */
export function complete(root: Command, words: readonly string[]): Completion {
  const typed = words.at(-1) ?? ''
  const walk = walkOver(root, words.slice(0, -1))
  const { command, values, open } = walk
  const result = (offer: Completion['offer'], before = ''): Completion => ({
    offer,
    typed: typed.slice(before.length),
    before,
    values,
  })
  if (open !== undefined) return result(valuesOf(open.argChoices, placeholderOf(open)))
  if (typed.startsWith('-') && !walk.isOnlyArguments) {
    const at = typed.indexOf('=')
    const option = at < 0 ? undefined : findOption(command, typed.slice(0, at))
    if (option !== undefined) {
      return result(valuesOf(option.argChoices, placeholderOf(option)), typed.slice(0, at + 1))
    }
    return result({ kind: 'words', words: optionWords(command) })
  }
  if (command.commands.length > 0 && walk.argumentCount === 0) {
    return result({ kind: 'words', words: commandWords(command) })
  }
  const argument = argumentAt(command.registeredArguments, walk.argumentCount)
  return result(argument === undefined ? noWords : valuesOf(argument.argChoices, argument.name()))
}

type Walk = {
  readonly command: Command
  readonly argumentCount: number
  readonly isOnlyArguments: boolean
  readonly values: Readonly<Record<string, unknown>>
  /** The option whose value comes next. */
  readonly open: Option | undefined
}

function walkOver(root: Command, words: readonly string[]): Walk {
  let command = root
  let argumentCount = 0
  let isOnlyArguments = false
  let open: Option | undefined
  const values: Record<string, unknown> = {}
  for (const word of words) {
    if (open !== undefined) {
      values[open.attributeName()] = word
      open = undefined
    } else if (word === '--') {
      isOnlyArguments = true
    } else if (word.startsWith('-') && !isOnlyArguments) {
      const at = word.indexOf('=')
      const option = findOption(command, at < 0 ? word : word.slice(0, at))
      if (option === undefined) continue
      if (at < 0 && option.required) open = option
      else values[option.attributeName()] = at < 0 ? true : word.slice(at + 1)
    } else {
      const inner = argumentCount === 0 ? childOf(command, word) : undefined
      if (inner === undefined) argumentCount += 1
      else command = inner
    }
  }
  return { command, argumentCount, isOnlyArguments, values, open }
}

const childOf = (command: Command, word: string): Command | undefined =>
  command.commands.find((child) => child.name() === word || child.aliases().includes(word))

/** Of the command or of those that it belongs to. */
function findOption(command: Command, flag: string): Option | undefined {
  const own = command.options.find(({ long, short }) => long === flag || short === flag)
  return own ?? (command.parent === null ? undefined : findOption(command.parent, flag))
}

const argumentAt = (all: readonly Argument[], index: number): Argument | undefined => {
  const last = all.at(-1)
  return all[index] ?? (last?.variadic === true ? last : undefined)
}

const noWords = { kind: 'words', words: [] } as const

/** What help texts call the value: `<blueprint>`, and settings in capitals. */
const placeholderOf = ({ flags }: Option): string => /[<[]([^>\]]+)/.exec(flags)?.[1]?.toLowerCase() ?? ''

function valuesOf(choices: readonly string[] | undefined, placeholder: string): Completion['offer'] {
  if (choices !== undefined) {
    return { kind: 'words', words: choices.map((value) => ({ value, description: '' })) }
  }
  const isFile = placeholder.split('|').some((part) => ['file', 'path'].includes(part))
  return isFile ? { kind: 'files' } : { kind: 'things', name: placeholder }
}

function optionWords(command: Command): Word[] {
  const own = command.options
    .filter(({ hidden }) => !hidden)
    .map(({ long, short, description }) => ({ value: long ?? short ?? '', description }))
  return command.parent === null
    ? [...own, { value: '--help', description: 'display help for command' }]
    : [...own, ...optionWords(command.parent)]
}

const commandWords = (command: Command): Word[] =>
  command
    .createHelp()
    .visibleCommands(command)
    .map((child) => ({ value: child.name(), description: child.description() }))
