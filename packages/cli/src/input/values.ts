import { readFile } from 'node:fs/promises'
import { extname, resolve } from 'node:path'
import { load, YAMLException } from 'js-yaml'
import { UsageError } from '../errors/usage-error.ts'

export type Values = Readonly<Record<string, unknown>>

/**
 * Inputs and parameters as given by `-i`, in order, later ones win: `name=value`, a JSON object, or a YAML or JSON file.
 *
 * @throws UsageError
 */
export async function readValues(given: readonly string[], workingFolder: string): Promise<Values> {
  const parts = await Promise.all(given.map((item) => readItem(item, workingFolder)))
  return Object.assign({}, ...parts)
}

async function readItem(item: string, workingFolder: string): Promise<Values> {
  const object = item.trimStart().startsWith('{') ? parseJson(item) : undefined
  if (isMapping(object)) return object
  const [, name, value] = /^([^=]+)=(.*)$/s.exec(item) ?? []
  if (name !== undefined && value !== undefined) return { [name.trim()]: parseValue(value) }
  const file = resolve(workingFolder, item)
  const text = await readFile(file, 'utf8').catch(() => {
    throw new UsageError(
      `${item} is neither name=value, nor a JSON object, nor a file that can be read`,
      'Write it like port=8080 or inputs.yaml',
    )
  })
  const values = parseFile(file, text)
  if (!isMapping(values)) {
    throw new UsageError(`${file} must hold a mapping of names to values`)
  }
  return values
}

const isMapping = (value: unknown): value is Values =>
  typeof value === 'object' && value !== null && !Array.isArray(value)

/**
 * The value of `name=value`: true, false, null, numbers, and JSON lists, objects and strings are taken as
 * such; everything else is text. Numbers that would print differently stay text: 1.10 is a version.
 */
export function parseValue(text: string): unknown {
  const value = parseJson(text)
  if (typeof value === 'number' && String(value) !== text.trim()) return text
  return value === undefined ? text : value
}

function parseJson(text: string): unknown {
  try {
    return JSON.parse(text)
  } catch {
    return undefined
  }
}

function parseFile(file: string, text: string): unknown {
  try {
    return extname(file) === '.json' ? JSON.parse(text) : load(text)
  } catch (error) {
    if (error instanceof YAMLException || error instanceof SyntaxError) {
      throw new UsageError(`${file}: ${error.message}`)
    }
    throw error
  }
}

/** `--label key=value`, repeated. @throws UsageError */
export function readLabels(given: readonly string[]): readonly (readonly [string, string])[] {
  return given.map((item) => {
    const [, key, value] = /^([^=]+)=(.+)$/s.exec(item) ?? []
    if (key === undefined || value === undefined) {
      throw new UsageError(`A label is written key=value, got ${item}`)
    }
    return [key.trim(), value] as const
  })
}
