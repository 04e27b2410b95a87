/**
 * JSON text in which what comes again stands once. The plan of 20,000 nodes has 400 MB when it is written out, and 20
 * without what the nodes of one type have in common.
 *
 * In the text, the number of a part stands on a line of its own where the part would stand. Neither JSON as we write it
 * nor strings in JSON have line breaks, so this is unambiguous; and it is JSON still, of which the database can read
 * everything but the parts. Parts are written out themselves.
 */
export type SharedText = { readonly text: string; readonly parts: readonly string[] }

/** Less is written where it stands: a reference and the search for it cost as much. */
const leastShared = 64

/** More text than its reader is ready for. */
export class TextTooLong extends Error {
  override readonly name = 'TextTooLong'
}

/**
 * The JSON of values; an object or list that stands in several places, as the same object, becomes a part. Each of
 * `values` gets a text of its own, with parts in common.
 *
 * @throws TextTooLong beyond so many characters, parts included
 */
export function sharedTexts(
  values: readonly unknown[],
  mostCharacters = Number.POSITIVE_INFINITY,
): { readonly texts: readonly string[]; readonly parts: readonly string[] } {
  const repeated = repeatedIn(values)
  const references = new Map<object, string>()
  const parts: string[] = []
  let characters = 0
  const pay = (text: string) => {
    characters += text.length
    if (characters > mostCharacters) throw new TextTooLong(`more than ${mostCharacters} characters`)
    return text
  }
  function refer(value: object): string {
    const known = references.get(value)
    if (known !== undefined) return known
    const text = JSON.stringify(value)
    const isPart = text.length >= leastShared
    const reference = isPart ? `\n${parts.length}\n` : text
    if (isPart) parts.push(pay(text))
    references.set(value, reference)
    return reference
  }
  function write(value: unknown): string {
    if (typeof value !== 'object' || value === null) return JSON.stringify(value) ?? 'null'
    return repeated.has(value) ? refer(value) : writeOwn(value)
  }
  function writeOwn(value: object): string {
    if (Array.isArray(value)) return `[${value.map(write).join(',')}]`
    const members: string[] = []
    for (const [key, member] of Object.entries(value)) {
      if (member !== undefined) members.push(`${JSON.stringify(key)}:${write(member)}`)
    }
    return `{${members.join(',')}}`
  }
  return { texts: values.map((value) => pay(write(value))), parts }
}

function repeatedIn(values: readonly unknown[]): ReadonlySet<object> {
  const seen = new Set<object>()
  const repeated = new Set<object>()
  const visit = (value: unknown): void => {
    if (typeof value !== 'object' || value === null) return
    if (seen.has(value)) return void repeated.add(value)
    seen.add(value)
    for (const key in value) visit((value as Readonly<Record<string, unknown>>)[key])
  }
  for (const value of values) visit(value)
  return repeated
}

const reference = /\n(\d+)\n/g

/** The value of such a text; what was shared is one object again. */
export function parseShared({ text, parts }: SharedText): unknown {
  if (parts.length === 0) return JSON.parse(text)
  let key = 'part'
  while (text.includes(`"${key}"`)) key += '_'
  const values = parts.map((part) => JSON.parse(part) as unknown)
  const withParts = (value: unknown): unknown => {
    if (typeof value !== 'object' || value === null) return value
    const object = value as Record<string, unknown>
    const number = object[key]
    if (number !== undefined) return values[Number(number)]
    for (const name in object) {
      const member = object[name]
      if (typeof member === 'object' && member !== null) object[name] = withParts(member)
    }
    return object
  }
  return withParts(JSON.parse(text.replaceAll(reference, `{"${key}":$1}`)))
}

const partsSeparator = '\n,'

/** All parts as the database keeps them: what stands in the brackets of a JSON list. */
export const partsText = (parts: readonly string[]): string => parts.join(partsSeparator)

export const partsOf = (text: string): readonly string[] => (text === '' ? [] : text.split(partsSeparator))

/** How long a shared text is when it is written out. */
export function writtenLength({ text, parts }: SharedText): number {
  let length = text.length
  for (const [line, number] of text.matchAll(reference))
    length += (parts[Number(number)] ?? '').length - line.length
  return length
}

/** Answers are written out in pieces of about so many characters. */
const pieceCharacters = 64 * 1024

/**
 * The JSON of an answer, in pieces. A shared text in it stands as `[[PARTS],TEXT]`, with carriage returns around and
 * before the comma, which JSON has nowhere else: see `sharedColumn` in storage.
 */
export function* writtenOut(answer: string): Generator<string> {
  let at = 0
  for (;;) {
    const begin = answer.indexOf('\r', at)
    if (begin < 0) break
    const comma = answer.indexOf('\r', begin + 1)
    const end = answer.indexOf('\r', comma + 1)
    yield answer.slice(at, begin)
    const parts = partsOf(answer.slice(begin + '\r[['.length, comma - ']'.length))
    yield* filledIn({ text: answer.slice(comma + '\r,'.length, end - ']'.length), parts })
    at = end + 1
  }
  yield answer.slice(at)
}

export const isWrittenOut = (answer: string): boolean => !answer.includes('\r')

/** The value of the JSON of an answer. */
export const parseAnswer = (answer: string): unknown =>
  JSON.parse(isWrittenOut(answer) ? answer : [...writtenOut(answer)].join(''))

function* filledIn({ text, parts }: SharedText): Generator<string> {
  let piece = ''
  let at = 0
  for (;;) {
    const begin = text.indexOf('\n', at)
    if (begin < 0) break
    const end = text.indexOf('\n', begin + 1)
    piece += text.slice(at, begin) + (parts[Number(text.slice(begin + 1, end))] ?? '')
    at = end + 1
    if (piece.length >= pieceCharacters) {
      yield piece
      piece = ''
    }
  }
  yield piece + text.slice(at)
}
