import { UsageError } from '../errors/usage-error.ts'

/**
 * One setting: how it is named everywhere and what it means. Its value comes from the flag, else the
 * environment variable, else the configuration file, else the default.
 */
export type Setting<Value> = {
  /** Flag of `tutti serve` and `tutti worker`; secrets have none, because command lines can be seen. */
  readonly flag?: string
  readonly variable: string
  /** How the value is written, for help texts: PATH, PORT, … */
  readonly placeholder: string
  readonly description: string
  /** Who reads it. */
  readonly part: 'server' | 'client'
  /** As it would be written; undefined when there is none. */
  readonly default: string | undefined
  /** In place of `default` for the user root. */
  readonly defaultAsRoot?: string
  /** Said in place of a default that depends on something. */
  readonly defaultText?: string
  readonly isSecret: boolean
  readonly parse: (text: string, context: ParseContext) => Value
}

/** Where relative paths and `~` lead, and what the value is called in an error. */
export type ParseContext = {
  readonly home: string
  readonly workingFolder: string
  readonly name: string
}

export const wrongValue = (context: ParseContext, text: string, expected: string): UsageError =>
  new UsageError(
    `${context.name} must be ${expected}, got ${JSON.stringify(text)}`,
    'See what is in effect and where it comes from: tutti config',
  )
