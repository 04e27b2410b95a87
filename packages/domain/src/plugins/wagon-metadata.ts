import { ApiError } from '@tutti/api'

/** What the file package.json of a wagon says. */
export type WagonMetadata = {
  readonly package_name: string
  readonly package_version: string
  readonly package_source: string | null
  readonly archive_name: string
  readonly supported_platform: string | null
  readonly distribution: string | null
  readonly distribution_version: string | null
  readonly distribution_release: string | null
  readonly supported_py_versions: readonly string[]
  readonly wheels: readonly string[]
  readonly excluded_wheels: readonly string[]
}

/** The plugins with most have about a hundred. */
const mostWheels = 1_000
const longestText = 2_000
const longestName = 255

export const invalidPlugin = (message: string, hint?: string) =>
  new ApiError('invalid_plugin_error', message, hint === undefined ? {} : { hint })

/**
 * Names and versions become names of folders, and names of wheels those of files: what could lead elsewhere is refused
 * (docs/reference/plugins.md, "Wagons").
 *
 * @throws invalid_plugin_error
 */
export function parseWagonMetadata(text: string): WagonMetadata {
  const given = parseObject(text)
  const built = memberOf(given, 'build_server_os_properties') ?? {}
  if (!isRecord(built)) throw wrong('build_server_os_properties', 'an object')
  return {
    package_name: matching(given, 'package_name', packageName),
    package_version: matching(given, 'package_version', packageVersion),
    package_source: optionalText(given, 'package_source'),
    archive_name: matching(given, 'archive_name', fileName),
    supported_platform: optionalText(given, 'supported_platform'),
    distribution: optionalText(built, 'distribution'),
    distribution_version: optionalText(built, 'distribution_version'),
    distribution_release: optionalText(built, 'distribution_release'),
    supported_py_versions: textList(given, 'supported_python_versions', plainText),
    wheels: textList(given, 'wheels', wheelName),
    excluded_wheels: textList(given, 'excluded_wheels', plainText),
  }
}

/** A name as Python's packages compare it. */
export const normalizedName = (name: string): string => name.toLowerCase().replaceAll(/[-_.]+/g, '-')

/** @throws invalid_plugin_error unless every wheel that is named is there, and one of them is the package itself */
export function checkWheels(
  { package_name: name, wheels }: WagonMetadata,
  present: ReadonlySet<string>,
): void {
  const missing = wheels.find((wheel) => !present.has(wheel))
  if (missing !== undefined) {
    throw invalidPlugin(`The wagon has no file wheels/${missing}, which its package.json names`)
  }
  const wanted = normalizedName(name)
  if (wheels.some((wheel) => normalizedName(wheel.slice(0, wheel.indexOf('-'))) === wanted)) return
  throw invalidPlugin(`The wagon of ${name} holds no wheel of that package: there is nothing to install`)
}

type Rule = { readonly pattern: RegExp; readonly longest: number; readonly what: string }

const packageName: Rule = {
  pattern: /^[A-Za-z0-9](?:[A-Za-z0-9._-]*[A-Za-z0-9])?$/,
  longest: longestName,
  what: 'the name of a Python package',
}
const packageVersion: Rule = {
  pattern: /^[A-Za-z0-9](?:[A-Za-z0-9.+!_-]*[A-Za-z0-9])?$/,
  longest: 128,
  what: 'the version of a Python package',
}
const fileName: Rule = {
  pattern: /^[A-Za-z0-9_][A-Za-z0-9._+~!-]*$/,
  longest: longestName,
  what: 'the plain name of a file',
}
const wheelName: Rule = {
  pattern: /^[A-Za-z0-9][A-Za-z0-9._+!-]*\.whl$/,
  longest: longestName,
  what: 'the plain name of a wheel (*.whl)',
}
const plainText: Rule = { pattern: /^[^\p{Cc}]*$/u, longest: longestName, what: 'a text' }

function parseObject(text: string): Readonly<Record<string, unknown>> {
  let value: unknown
  try {
    value = JSON.parse(text)
  } catch (error) {
    throw invalidPlugin(
      `package.json of the wagon is not valid JSON: ${error instanceof Error ? error.message : error}`,
    )
  }
  if (isRecord(value)) return value
  throw invalidPlugin('package.json of the wagon must hold an object')
}

const isRecord = (value: unknown): value is Readonly<Record<string, unknown>> =>
  typeof value === 'object' && value !== null && !Array.isArray(value)

const memberOf = (given: Readonly<Record<string, unknown>>, name: string): unknown =>
  Object.hasOwn(given, name) ? given[name] : undefined

function matching(given: Readonly<Record<string, unknown>>, name: string, rule: Rule): string {
  const value = memberOf(given, name)
  if (value === undefined || value === null) {
    throw invalidPlugin(`package.json of the wagon has no ${name}`)
  }
  return checked(value, name, rule)
}

function checked(value: unknown, name: string, { pattern, longest, what }: Rule): string {
  if (typeof value !== 'string' || !pattern.test(value)) throw wrong(name, what, value)
  if (Buffer.byteLength(value) > longest) throw wrong(name, `no longer than ${longest} bytes`)
  return value
}

function optionalText(given: Readonly<Record<string, unknown>>, name: string): string | null {
  const value = memberOf(given, name)
  if (value === undefined || value === null) return null
  return checked(value, name, { ...plainText, longest: longestText })
}

function textList(given: Readonly<Record<string, unknown>>, name: string, rule: Rule): readonly string[] {
  const value = memberOf(given, name)
  if (value === undefined || value === null) return []
  if (!Array.isArray(value)) throw wrong(name, 'a list')
  if (value.length > mostWheels) {
    throw invalidPlugin(
      `package.json of the wagon has ${value.length} ${name}: no more than ${mostWheels} are taken`,
    )
  }
  return value.map((item) => checked(item, name, rule))
}

function wrong(name: string, what: string, value?: unknown) {
  const got = typeof value === 'string' ? `, got ${JSON.stringify(value.slice(0, 100))}` : ''
  return invalidPlugin(`${name} in package.json of the wagon must be ${what}${got}`)
}
