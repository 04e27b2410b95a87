import { EVENT_ID, type Event, getScalarValue, SCALAR_STYLE } from 'js-yaml'
import { DslError, formatError } from '../diagnostic.ts'
import { eventsOf } from './events.ts'
import type { YamlEntry, YamlMap, YamlNode, YamlScalar } from './node.ts'
import { plainScalar, taggedScalar } from './scalar.ts'
import { placeOf, type Source, sourceOf } from './source.ts'

/** Values of a file with every alias written out. An alias bomb has 2^n of them in n lines. */
const MAX_EXPANDED_VALUES = 1_000_000

/**
 * The YAML of one file as nodes (docs/reference/language/README.md, "YAML"). An empty file is an empty mapping. Throws
 * `DslError`.
 */
export function readYaml(address: string, text: string): YamlNode {
  const { source, events } = eventsOf(sourceOf(address, text))
  const reader: Reader = { source, events, next: 0, anchors: new Map(), sizes: new Map() }
  let root: YamlNode | null = null
  while (reader.next < reader.events.length) {
    const event = take(reader)
    if (event.type !== EVENT_ID.DOCUMENT) continue
    if (root !== null) throw formatError(-1, `${address} holds more than one YAML document.`)
    if (peek(reader).type === EVENT_ID.POP) continue
    root = readNode(reader)
    if (sizeOf(reader, root) > MAX_EXPANDED_VALUES) {
      throw formatError(
        -1,
        `${address}: its aliases written out make more than ${MAX_EXPANDED_VALUES} values.`,
      )
    }
  }
  return root === null || isEmpty(root) ? { kind: 'map', source, offset: 0, entries: new Map() } : root
}

type Reader = {
  readonly source: Source
  readonly events: readonly Event[]
  next: number
  readonly anchors: Map<string, YamlNode>
  /** Number of values of a collection, aliases written out. */
  readonly sizes: Map<YamlNode, number>
}

function isEmpty(node: YamlNode): boolean {
  return node.kind === 'scalar' && node.type === 'null'
}

function take(reader: Reader): Event {
  const event = peek(reader)
  reader.next += 1
  return event
}

function peek(reader: Reader): Event {
  const event = reader.events[reader.next]
  if (event === undefined) throw new Error('the YAML event stream ended inside a document')
  return event
}

function readNode(reader: Reader): YamlNode {
  const event = take(reader)
  switch (event.type) {
    case EVENT_ID.SCALAR: {
      const node = readScalar(reader, event)
      remember(reader, event, node)
      return node
    }
    case EVENT_ID.SEQUENCE: {
      checkTag(reader, event, 'seq')
      const items: YamlNode[] = []
      while (peek(reader).type !== EVENT_ID.POP) items.push(readNode(reader))
      take(reader)
      const node: YamlNode = { kind: 'list', source: reader.source, offset: event.start, items }
      reader.sizes.set(
        node,
        items.reduce((sum, item) => sum + sizeOf(reader, item), 1),
      )
      remember(reader, event, node)
      return node
    }
    case EVENT_ID.MAPPING: {
      checkTag(reader, event, 'map')
      const node = readMap(reader, event.start)
      remember(reader, event, node)
      return node
    }
    case EVENT_ID.ALIAS: {
      const name = reader.source.text.slice(event.anchorStart, event.anchorEnd)
      const node = reader.anchors.get(name)
      if (node === undefined) {
        throw formatError(-1, `Illegal YAML: the alias *${name} has no anchor before it.`, {
          place: placeOf(reader.source, event.anchorStart),
        })
      }
      return node
    }
    default:
      throw new Error(`unexpected YAML event ${event.type}`)
  }
}

function readMap(reader: Reader, offset: number): YamlMap {
  const own = new Map<string, YamlEntry>()
  const merged = new Map<string, YamlEntry>()
  while (peek(reader).type !== EVENT_ID.POP) {
    const plain = isPlain(peek(reader))
    const key = readNode(reader)
    const value = readNode(reader)
    if (key.kind !== 'scalar') {
      throw formatError(-1, `Illegal YAML: a ${key.kind} cannot be a key.`, {
        place: placeOf(reader.source, key.offset),
      })
    }
    if (plain && key.value === '<<') mergeInto(merged, value)
    else own.set(keyText(key), { key, value })
  }
  take(reader)
  // What is merged comes first and gives way to the mapping's own keys.
  const entries = merged.size === 0 ? own : new Map([...merged, ...own])
  const node: YamlMap = { kind: 'map', source: reader.source, offset, entries }
  let size = 1
  for (const { value } of entries.values()) size += sizeOf(reader, value)
  reader.sizes.set(node, size)
  return node
}

function isPlain(event: Event): boolean {
  return event.type === EVENT_ID.SCALAR && event.style === SCALAR_STYLE.PLAIN && event.tagStart < 0
}

/** `<<: *a` or `<<: [*a, *b]`, where earlier ones win. */
function mergeInto(merged: Map<string, YamlEntry>, value: YamlNode): void {
  const maps = value.kind === 'list' ? value.items : [value]
  for (const map of maps) {
    if (map.kind !== 'map') {
      throw formatError(-1, 'Illegal YAML: `<<` merges mappings only.', {
        place: placeOf(map.source, map.offset),
      })
    }
    for (const [key, entry] of map.entries) if (!merged.has(key)) merged.set(key, entry)
  }
}

/** Keys of free-form data may be numbers or booleans; JSON has them as text. */
function keyText(key: YamlScalar): string {
  return key.type === 'string' || key.type === 'date' ? key.value : String(key.value)
}

type Tagged = { readonly tagStart: number; readonly tagEnd: number }
type Anchored = { readonly anchorStart: number; readonly anchorEnd: number }

function readScalar(reader: Reader, event: Extract<Event, { type: 4 }>): YamlScalar {
  const { source } = reader
  const text = getScalarValue(source.text, event)
  const offset = startOf(event)
  const tag = tagOf(reader, event)
  const read =
    tag !== null
      ? taggedScalar(tag, text)
      : event.style === SCALAR_STYLE.PLAIN
        ? plainScalar(text)
        : ({ type: 'string', value: text } as const)
  if (read === null) {
    throw formatError(-1, `Illegal YAML: the tag ${tag} does not fit here.`, {
      place: placeOf(source, offset),
    })
  }
  const { type, value } = read
  if (type === 'string') checkAscii(value, source, offset)
  if (type === 'integer' && !Number.isSafeInteger(value)) {
    throw formatError(1, `The integer ${text} is too large to be kept exactly: put it in quotes.`, {
      place: placeOf(source, offset),
      value: text,
      expected: `'${text}'`,
    })
  }
  // Written out, as spreading took a tenth of the time of reading.
  return { kind: 'scalar', source, offset, type, value } as YamlScalar
}

function startOf(event: Extract<Event, { type: 4 }>): number {
  if (event.style === SCALAR_STYLE.SINGLE_QUOTED || event.style === SCALAR_STYLE.DOUBLE_QUOTED) {
    return Math.max(0, event.valueStart - 1)
  }
  return Math.max(0, event.valueStart)
}

// biome-ignore lint/suspicious/noControlCharactersInRegex: the whole of ASCII is meant
const ASCII = /^[\x00-\x7f]*$/

function checkAscii(text: string, source: Source, offset: number): void {
  if (ASCII.test(text)) return
  throw new DslError(
    'DSLParsingInputTypeException',
    `Illegal text ${JSON.stringify(text)}: only ASCII is allowed.`,
    {
      code: 108,
      place: placeOf(source, offset),
      value: text,
    },
  )
}

function tagOf(reader: Reader, event: Tagged): string | null {
  if (event.tagStart < 0) return null
  return reader.source.text
    .slice(event.tagStart, event.tagEnd)
    .replace(/^!<(.*)>$/, '$1')
    .replace(/^(?:!!|tag:yaml\.org,2002:)/, '')
}

function checkTag(reader: Reader, event: Tagged & { start: number }, allowed: string): void {
  const tag = tagOf(reader, event)
  if (tag === null || tag === allowed) return
  throw formatError(-1, `Illegal YAML: the tag ${tag} is not known.`, {
    place: placeOf(reader.source, event.start),
  })
}

function remember(reader: Reader, event: Anchored, node: YamlNode): void {
  if (event.anchorStart < 0) return
  reader.anchors.set(reader.source.text.slice(event.anchorStart, event.anchorEnd), node)
}

function sizeOf(reader: Reader, node: YamlNode): number {
  return node.kind === 'scalar' ? 1 : (reader.sizes.get(node) ?? 1)
}
