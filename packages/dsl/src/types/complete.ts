import { logicError } from '../diagnostic.ts'
import { isCallNode } from '../functions/call.ts'
import type { Definitions } from '../language/build.ts'
import { nearest } from '../language/suggest.ts'
import { summary } from '../language/summary.ts'
import { isNull, mapLike, nodePlace, type YamlEntry, type YamlMap, type YamlNode } from '../yaml/node.ts'
import { misfit } from './check.ts'
import type { DataType, Properties } from './model.ts'

export type Completion = {
  readonly dataTypes: Definitions<DataType>
  /** How messages name the owner of the values. */
  readonly label: string
  readonly path: string
  /** A default may leave required members out (docs/reference/language/types.md, "Defaults"). */
  readonly partial: boolean
  /** What a missing value is called in the message. */
  readonly missing?: (dotted: string) => string
  readonly undefinedName?: (dotted: string) => string
}

/**
 * Values of a level, each from what is given, else its default, checked against its type
 * (docs/reference/language/types.md, "Defaults").
 */
export function completeValues(
  completion: Completion,
  at: YamlMap,
  values: YamlMap | undefined,
  properties: Properties,
  dotted: string,
  fallbacks?: YamlMap,
): YamlMap {
  for (const [name, { key }] of values?.entries ?? []) {
    if (properties.has(name)) continue
    const full = dotted === '' ? name : `${dotted}.${name}`
    throw logicError(
      106,
      completion.undefinedName?.(full) ?? `Undefined property ${full} in ${completion.label}.`,
      {
        place: nodePlace(key),
        path: `${completion.path}.${full}`,
        expected: `one of ${[...properties.keys()].join(', ')}`,
        suggestion: nearest(name, properties.keys()),
      },
    )
  }
  const complete = new Map<string, YamlEntry>()
  const missing: string[] = []
  for (const [name, property] of properties) {
    const own = values?.entries.get(name)
    const fallback = fallbacks?.entries.get(name)?.value ?? property.fallback
    const full = dotted === '' ? name : `${dotted}.${name}`
    const value = completeValue(completion, full, property.type, own?.value, fallback)
    if (value !== undefined) complete.set(name, { key: own?.key ?? { ...at, ...NAME, value: name }, value })
    else if (property.required) missing.push(full)
  }
  const result = mapLike(at, complete)
  const [first] = missing
  if (completion.partial) return result
  if (!usesExternalResource(completion, result) && first !== undefined) {
    throw logicError(
      107,
      completion.missing?.(first) ?? `${completion.label} is missing property ${first}.`,
      {
        place: nodePlace(values ?? at),
        path: `${completion.path}.${first}`,
        value: values === undefined ? 'None' : summary(values),
      },
    )
  }
  return result
}

const NAME = { kind: 'scalar', type: 'string' } as const

/** One value over its default; undefined when there is neither. */
export function completeValue(
  completion: Completion,
  dotted: string,
  type: string | null,
  own: YamlNode | undefined,
  fallback: YamlNode | undefined,
): YamlNode | undefined {
  const value = own ?? fallback
  if (value !== undefined && isCallNode(value)) return value
  if (type === null || !completion.dataTypes.has(type)) {
    if (value !== undefined) checkFits(completion, dotted, type, value)
    return value
  }
  const dataType = completion.dataTypes.get(type)
  if (value !== undefined && value.kind !== 'map') {
    throw misfitError(completion, dotted, type, value)
  }
  const base = fallback?.kind === 'map' && !isCallNode(fallback) ? fallback : undefined
  return completeValues(
    completion,
    value ?? dataType.written,
    own === undefined ? undefined : value,
    dataType.properties,
    dotted,
    base,
  )
}

function checkFits(completion: Completion, dotted: string, type: string | null, value: YamlNode): void {
  if (type === null || misfit(value, type) === null) return
  throw misfitError(completion, dotted, type, value)
}

function misfitError(
  completion: Completion,
  dotted: string,
  type: string,
  value: YamlNode,
): ReturnType<typeof logicError> {
  return logicError(
    105,
    `Property type validation failed in ${completion.label}: '${dotted}' is of type '${type}', yet it was assigned the value '${summary(value)}'.`,
    { place: nodePlace(value), path: `${completion.path}.${dotted}`, value: summary(value), expected: type },
  )
}

function usesExternalResource(completion: Completion, values: YamlMap): boolean {
  const flag = values.entries.get('use_external_resource')?.value
  if (flag === undefined || isNull(flag)) return false
  if (isCallNode(flag)) {
    throw logicError(219, `${completion.label}: 'use_external_resource' cannot be a function.`, {
      place: nodePlace(flag),
      path: `${completion.path}.use_external_resource`,
      value: summary(flag),
    })
  }
  if (flag.kind === 'list') return flag.items.length > 0
  if (flag.kind === 'map') return flag.entries.size > 0
  return Boolean(flag.value)
}
