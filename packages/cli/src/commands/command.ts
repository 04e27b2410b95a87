import { type Argument, type Command, InvalidArgumentError, Option } from 'commander'
import type { Flags } from '../configuration/resolve.ts'
import type { Setting } from '../configuration/setting.ts'
import { type SettingName, settingNames, settings } from '../configuration/settings.ts'
import { type Context, createContext } from '../context.ts'
import type { Environment } from '../environment.ts'
import { UsageError } from '../errors/usage-error.ts'
import type { ServerParts } from '../serve/parts.ts'

/** What the whole program shares. */
export type Program = {
  readonly environment: Environment
  readonly parts: ServerParts
  /** Called with the exit code of the command that ran. */
  readonly finish: (exitCode: number) => void
}

/** The options of a command line, by their camel-case names. */
export type Options = {
  readonly text: (name: string) => string | undefined
  /** Of an option that is mandatory. */
  readonly required: (name: string) => string
  readonly texts: (name: string) => readonly string[]
  readonly flag: (name: string) => boolean
}

export type CommandDefinition = {
  /** Name and arguments: `get <id>`. What an argument is called says what shells complete it with. */
  readonly usage: string
  /** Arguments that `usage` cannot say all of. */
  readonly arguments?: readonly Argument[]
  readonly description: string
  /** Each a whole command line. */
  readonly examples: readonly string[]
  readonly options?: readonly Option[]
  /** What its noun does when no verb is given. */
  readonly isDefault?: boolean
  /** Not for people: in no help. */
  readonly isHidden?: boolean
  /** Returns the exit code where it is not 0. */
  readonly run: (
    context: Context,
    args: readonly string[],
    options: Options,
  ) => Promise<number | undefined> | Promise<void>
}

/** A noun with its verbs; alone it prints its help. */
export type Noun = {
  readonly name: string
  readonly alias?: string
  readonly description: string
  readonly commands: readonly CommandDefinition[]
  /** Nouns within it: `deployments labels`. */
  readonly nouns?: readonly Noun[]
}

export function addNoun(parent: Command, program: Program, { alias, ...noun }: Noun): void {
  const group = parent.command(noun.name).description(noun.description).helpCommand(false)
  if (alias !== undefined) group.alias(alias)
  for (const command of noun.commands) addCommand(group, program, command)
  for (const inner of noun.nouns ?? []) addNoun(group, program, inner)
  group.addHelpText('after', examplesText([exampleOf(noun)]))
}

function exampleOf({ commands, nouns = [] }: Omit<Noun, 'alias'>): string {
  const [inner] = nouns
  return commands[0]?.examples[0] ?? (inner === undefined ? '' : exampleOf(inner))
}

export function addCommand(parent: Command, program: Program, definition: CommandDefinition): void {
  const command = parent
    .command(definition.usage, {
      isDefault: definition.isDefault ?? false,
      hidden: definition.isHidden ?? false,
    })
    .description(definition.description)
    .addHelpText('after', examplesText(definition.examples))
  examples.set(command, definition.examples)
  for (const argument of definition.arguments ?? []) command.addArgument(argument)
  for (const option of definition.options ?? []) command.addOption(option)
  command.action(async (...received: unknown[]) => {
    const values: Readonly<Record<string, unknown>> = command.optsWithGlobals()
    const context = createContext(program.environment, program.parts, values.json === true, flagsOf(values))
    const args = received
      .slice(0, -2)
      .flat()
      .filter((arg) => typeof arg === 'string')
    // The path of the API that it belongs in would be that of another thing: of all users, not of one.
    if (received.includes('')) {
      throw new UsageError('An argument is empty', `Is a variable not set? ${usageOf(command)}`)
    }
    program.finish((await definition.run(context, args, optionsOf(values))) ?? 0)
  })
}

const usageOf = (command: Command): string =>
  `See: tutti ${[command.parent?.parent ? command.parent.name() : '', command.name()].join(' ').trim()} --help`

const examples = new WeakMap<Command, readonly string[]>()
export const examplesOf = (command: Command): readonly string[] => examples.get(command) ?? []

export const examplesText = (lines: readonly string[]): string =>
  `\n${lines.length === 1 ? 'Example' : 'Examples'}:\n${lines.map((example) => `  $ ${example}`).join('\n')}\n`

function optionsOf(values: Readonly<Record<string, unknown>>): Options {
  const text = (name: string) => {
    const value = values[name]
    return typeof value === 'string' ? value : undefined
  }
  return {
    text,
    required: (name) => {
      const value = text(name)
      if (value === undefined) throw new Error(`no option ${name} is mandatory`)
      return value
    },
    texts: (name) => {
      const value = values[name]
      return Array.isArray(value) ? value.filter((one) => typeof one === 'string') : []
    },
    flag: (name) => values[name] === true,
  }
}

/** Refuses a command line with none of these options. `written` says how each is written. @throws UsageError */
export function needOneOf({ text, flag }: Options, written: Readonly<Record<string, string>>): void {
  if (Object.keys(written).some((name) => text(name) !== undefined || flag(name))) return
  throw new UsageError(`Say which: ${Object.values(written).join(' or ')}`)
}

/** The settings that were given as flags of this command line. */
export function flagsOf(values: Readonly<Record<string, unknown>>): Flags {
  const given = settingNames.map((name): readonly [SettingName, unknown] => [name, values[attributeOf(name)]])
  return Object.fromEntries(
    given
      .filter(([, value]) => typeof value === 'string' || value === true)
      .map(([name, value]) => [name, String(value)]),
  )
}

const attributeOf = (name: SettingName): string => {
  const { flag }: Setting<unknown> = settings[name]
  return flag === undefined ? '' : new Option(flag).attributeName()
}

/** Options made from the settings table; a boolean one needs no value. */
export const settingOptions = (part: 'server' | 'client'): readonly Option[] =>
  settingNames
    .map((name): Setting<unknown> => settings[name])
    .filter((setting) => setting.part === part && setting.flag !== undefined)
    .map((setting) => {
      const value =
        setting.placeholder === 'BOOLEAN' ? `[${setting.placeholder}]` : `<${setting.placeholder}>`
      const fallback = setting.defaultText ?? setting.default
      const suffix = fallback === undefined || fallback === '' ? '' : ` (default: ${fallback})`
      return new Option(`${setting.flag} ${value}`, `${lowerFirst(setting.description)}${suffix}`)
    })

const lowerFirst = (text: string): string => text.slice(0, 1).toLowerCase() + text.slice(1)

/** An option that may be repeated. */
export const repeated = (flags: string, description: string): Option =>
  new Option(flags, description).argParser((value: string, previous: readonly string[] | undefined) => [
    ...(previous ?? []),
    value,
  ])

/** An option that is a whole number, kept as written. */
export const counted = (flags: string, description: string): Option =>
  new Option(flags, description).argParser((value: string) => {
    if (!/^\d+$/.test(value)) throw new InvalidArgumentError('It must be a whole number.')
    return value
  })
