import { badParameter } from './errors/messages.ts'
import { checkIdentifier, maxIdentifierLength } from './identifiers.ts'
import { parseTimestamp } from './values/timestamp.ts'

export type LabelPair = { readonly key: string; readonly value: string }

/** The only keys that may begin with `csys-` (docs/reference/sites-filters-labels.md, "Labels"). */
export const reservedLabelKeys = [
  'csys-obj-name',
  'csys-obj-type',
  'csys-env-type',
  'csys-wrcp-services',
  'csys-location-name',
  'csys-location-lat',
  'csys-location-long',
  'csys-obj-parent',
  'csys-environment',
  'csys-consumer-id',
  'csys-wrcp-group-id',
] as const

const isReserved = (key: string) => reservedLabelKeys.some((reserved) => reserved === key)

/**
 * Labels of a JSON body: `[{k: v}, {k: [v1, v2]}]`, or all `{key, value}`. Keys come out in lower case,
 * values NFKC-normalised.
 *
 * @throws bad_parameters_error
 */
export function parseLabels(labels: unknown): readonly LabelPair[] {
  if (!Array.isArray(labels)) throw malformed()
  return unique(labels.every(isAnswered) ? labels.map(asAnswered) : labels.flatMap(parseEntry))
}

export type DatedLabel = LabelPair & { readonly createdBy?: string; readonly createdAt?: Date }

/**
 * The same, with who made them and when where they are as answers show them: for those who may say so.
 *
 * @throws bad_parameters_error
 */
export function parseDatedLabels(labels: unknown): readonly DatedLabel[] {
  const pairs = parseLabels(labels)
  const given = labels as readonly unknown[]
  if (!given.every(isAnswered)) return pairs
  return pairs.map((pair, index) => {
    const { created_by: by, created_at: at } = given[index] as Answered
    return {
      ...pair,
      ...(typeof by === 'string' && { createdBy: by }),
      ...(typeof at === 'string' && { createdAt: parseTimestamp(at) }),
    }
  })
}

type Answered = {
  readonly key: unknown
  readonly value: unknown
  readonly created_by?: unknown
  readonly created_at?: unknown
}

/** A label as answers show it, with who made it and when. */
const isAnswered = (entry: unknown): entry is Answered =>
  typeof entry === 'object' &&
  entry !== null &&
  'key' in entry &&
  'value' in entry &&
  Object.keys(entry).length <= 5

const asAnswered = ({ key, value }: Answered): LabelPair => checkLabel(key, value)

function parseEntry(entry: unknown): readonly LabelPair[] {
  if (typeof entry !== 'object' || entry === null || Array.isArray(entry)) throw malformed()
  const [only, ...others] = Object.entries(entry)
  if (only === undefined || others.length > 0) throw malformed()
  const [key, value] = only
  return Array.isArray(value) ? value.map((one) => checkLabel(key, one)) : [checkLabel(key, value)]
}

/**
 * Labels of a query string: `k=v,k2=v2`. A comma or an equals sign within a value is escaped by a
 * backslash.
 *
 * @throws bad_parameters_error
 */
export function parseLabelsText(text: string): readonly LabelPair[] {
  const pairs = splitUnescaped(text, ',').filter((pair) => pair.trim() !== '')
  return unique(
    pairs.map((pair) => {
      const [key, ...rest] = splitUnescaped(pair, '=')
      if (key === undefined || rest.length === 0) {
        throw badParameter(`Labels must be comma-separated pairs \`key=value\`, got \`${text}\``)
      }
      return checkLabel(withoutEscapes(key.trim()), withoutEscapes(rest.join('=')))
    }),
  )
}

/** One label by the rules of docs/reference/sites-filters-labels.md, "Labels". @throws bad_parameters_error */
export function checkLabel(key: unknown, value: unknown): LabelPair {
  if (typeof key !== 'string' || typeof value !== 'string') throw malformed()
  const lowerKey = checkLabelKey(key)
  const normalised = checkValue(lowerKey, value.normalize('NFKC'))
  return { key: lowerKey, value: lowerKey === 'csys-obj-type' ? normalised.toLowerCase() : normalised }
}

/** The key as it is stored. @throws bad_parameters_error */
export function checkLabelKey(key: string): string {
  const lowerKey = checkIdentifier('key', key, 'any').toLowerCase()
  if (lowerKey.startsWith('csys-') && !isReserved(lowerKey)) {
    throw badParameter(
      `All labels with a \`csys-\` prefix are reserved for internal use. Allowed \`csys-\` prefixed labels ` +
        `are: ${reservedLabelKeys.join(', ')}`,
    )
  }
  return lowerKey
}

function checkValue(key: string, value: string): string {
  if (value.length === 0) throw badParameter(`The value of the label \`${key}\` is empty.`)
  if (value.length > maxIdentifierLength) {
    throw badParameter(
      `The value of the label \`${key}\` is too long. Maximum allowed length is ${maxIdentifierLength} characters`,
    )
  }
  if (/[\p{Cc}"]/u.test(value)) {
    throw badParameter(`The value of the label \`${key}\` contains control characters or \`"\``)
  }
  if (key === 'csys-location-lat') checkDegrees(key, value, 90)
  if (key === 'csys-location-long') checkDegrees(key, value, 180)
  return value
}

function checkDegrees(key: string, value: string, limit: number): void {
  const degrees = Number(value)
  if (value.trim() === '' || !(Math.abs(degrees) <= limit)) {
    throw badParameter(
      `The value of the label \`${key}\` must be a number from -${limit} to ${limit}, got ${value}`,
    )
  }
}

function unique(labels: readonly LabelPair[]): readonly LabelPair[] {
  const seen = new Set(labels.map(({ key, value }) => `${key}\n${value}`))
  if (seen.size !== labels.length) throw badParameter('You cannot define the same label twice')
  return labels
}

const malformed = () =>
  badParameter(
    'Labels must be a list of 1-entry dictionaries: [{<key1>: <value1>}, {<key2>: [<value2>, <value3>]}, ...]',
  )

/** Splits where the separator is not preceded by a backslash. */
const splitUnescaped = (text: string, separator: ',' | '='): readonly string[] =>
  text.split(separator === ',' ? /(?<!\\),/ : /(?<!\\)=/)

const withoutEscapes = (text: string) => text.replaceAll(/\\([,=])/g, '$1')
