import { readFile } from 'node:fs/promises'
import type { Environment } from '../environment.ts'
import { UsageError } from '../errors/usage-error.ts'
import { configurationFile } from './folder.ts'
import type { ParseContext, Setting } from './setting.ts'
import { type Configuration, type SettingName, settingNames, settings } from './settings.ts'

/** Values as they were written on the command line. */
export type Flags = Readonly<Partial<Record<SettingName, string>>>

/** A setting in effect: its value as written and where that was. */
export type Effective = {
  readonly name: SettingName
  readonly written: string | undefined
  readonly source: string
}

export type Resolved = { readonly configuration: Configuration; readonly effective: readonly Effective[] }

/** Flag, else environment variable, else file, else default. @throws UsageError for values that do not fit */
export async function resolveConfiguration(environment: Environment, flags: Flags = {}): Promise<Resolved> {
  const file = configurationFile(environment)
  const written = await readConfigurationFile(file)
  const effective = settingNames.map((name) => effectiveValue(name, environment, flags, written, file))
  const values = effective.map(({ name, written: value, source }) => {
    const setting: Setting<unknown> = settings[name]
    const context: ParseContext = {
      home: environment.home,
      workingFolder: environment.workingFolder,
      name: source,
    }
    return [name, value === undefined ? undefined : setting.parse(value, context)]
  })
  // Each value was parsed by the setting of the same name, from which the type is made.
  return { configuration: Object.fromEntries(values) as Configuration, effective }
}

function effectiveValue(
  name: SettingName,
  { variables, isRoot }: Environment,
  flags: Flags,
  written: Readonly<Record<string, string>>,
  file: string,
): Effective {
  const setting: Setting<unknown> = settings[name]
  const flag = flags[name]
  if (flag !== undefined) return { name, written: flag, source: `flag ${setting.flag ?? name}` }
  const variable = variables[setting.variable]
  if (variable !== undefined && variable !== '') {
    return { name, written: variable, source: `environment ${setting.variable}` }
  }
  if (written[name] !== undefined) return { name, written: written[name], source: `${name} in ${file}` }
  return { name, written: (isRoot ? setting.defaultAsRoot : undefined) ?? setting.default, source: 'default' }
}

/** A JSON object of setting names; absent is empty. */
async function readConfigurationFile(file: string): Promise<Readonly<Record<string, string>>> {
  const text = await readFile(file, 'utf8').catch((error: NodeJS.ErrnoException) => {
    if (error.code === 'ENOENT') return '{}'
    throw new UsageError(`The configuration file ${file} cannot be read: ${error.message}`)
  })
  const values = parseObject(file, text)
  const unknown = Object.keys(values).filter((name) => !Object.hasOwn(settings, name))
  if (unknown.length > 0) {
    throw new UsageError(
      `${file}: unknown setting ${unknown.join(', ')}`,
      `Known settings: ${settingNames.join(', ')}`,
    )
  }
  return Object.fromEntries(
    Object.entries(values).map(([name, value]) => [
      name,
      Array.isArray(value) ? value.join(',') : String(value),
    ]),
  )
}

function parseObject(file: string, text: string): Readonly<Record<string, unknown>> {
  try {
    const value: unknown = JSON.parse(text)
    if (typeof value === 'object' && value !== null && !Array.isArray(value)) return { ...value }
  } catch (error) {
    throw new UsageError(`${file} is not JSON: ${error instanceof Error ? error.message : String(error)}`)
  }
  throw new UsageError(`${file} must hold a JSON object of settings, such as {"port": 8080}`)
}
