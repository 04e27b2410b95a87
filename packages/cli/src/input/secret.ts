import { Option } from 'commander'
import type { Options } from '../commands/command.ts'
import type { Context } from '../context.ts'
import { UsageError } from '../errors/usage-error.ts'
import { readTextFile } from './given-file.ts'

/**
 * The ways to give a secret: typed without echo where there is a terminal, else from standard input or a file; on the
 * command line only by those who know that everyone on the machine can read it there.
 */
export type SecretSource = {
  /** What is asked for: `password`. */
  readonly what: string
  readonly onCommandLine: string
  readonly fromInput: string
  readonly fromFile: string
}

export const password: SecretSource = {
  what: 'password',
  onCommandLine: '-p, --password <password>',
  fromInput: '--password-stdin',
  fromFile: '--password-file <file>',
}

export const oldPassword: SecretSource = {
  what: 'present password',
  onCommandLine: '--old-password <password>',
  fromInput: '--old-password-stdin',
  fromFile: '--old-password-file <file>',
}

export const passphrase: SecretSource = {
  what: 'passphrase',
  onCommandLine: '-p, --passphrase <passphrase>',
  fromInput: '--passphrase-stdin',
  fromFile: '--passphrase-file <file>',
}

export const secretValue: SecretSource = {
  what: 'value',
  onCommandLine: '-s, --secret-string <text>',
  fromInput: '--secret-stdin',
  fromFile: '-f, --secret-file <file>',
}

export function secretOptions(source: SecretSource): readonly Option[] {
  const { what } = source
  const options = [
    new Option(source.fromInput, `read the ${what} from standard input`),
    new Option(source.fromFile, `read the ${what} from a file`),
    new Option(
      source.onCommandLine,
      `the ${what}; others on this machine can see it in the list of processes`,
    ),
  ]
  const names = options.map((option) => option.attributeName())
  return options.map((option) => option.conflicts(names.filter((name) => name !== option.attributeName())))
}

/** The secret where one of its options was given. @throws UsageError */
export async function givenSecret(
  { environment }: Context,
  options: Options,
  source: SecretSource,
): Promise<string | undefined> {
  const [fromInput, fromFile, onCommandLine] = [source.fromInput, source.fromFile, source.onCommandLine].map(
    (flags) => new Option(flags).attributeName(),
  ) as [string, string, string]
  const file = options.text(fromFile)
  if (options.flag(fromInput)) return notEmpty(source, 'standard input', await environment.readInput())
  if (file !== undefined) return notEmpty(source, file, await readTextFile(environment.workingFolder, file))
  return options.text(onCommandLine)
}

/** The secret, asked for where no option gave it; twice when a slip would lock somebody out. @throws UsageError */
export async function readSecret(
  context: Context,
  options: Options,
  source: SecretSource,
  { question, isNew }: { readonly question: string; readonly isNew: boolean },
): Promise<string> {
  const given = await givenSecret(context, options, source)
  if (given !== undefined) return given
  const { askSecret } = context.environment
  if (askSecret === undefined) {
    throw new UsageError(
      `There is no terminal to ask for the ${source.what}`,
      `Give it with ${source.fromInput} or ${source.fromFile}`,
    )
  }
  const answer = notEmpty(source, 'the terminal', await askSecret(`${question}: `))
  if (isNew && (await askSecret(`${question}, again: `)) !== answer) {
    throw new UsageError(`The two times the ${source.what} was not the same`, 'Try again')
  }
  return answer
}

/** A single line is taken without its end, as editors and echo put one there; more lines are taken as they are. */
function notEmpty({ what }: SecretSource, where: string, text: string): string {
  const [, line] = /^([^\n]*?)\r?\n$/.exec(text) ?? []
  const secret = line ?? text
  if (secret === '') throw new UsageError(`The ${what} from ${where} is empty`)
  return secret
}
