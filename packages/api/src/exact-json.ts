/*
 * V8 13 and 14 (Node 24 to 26, https://github.com/nodejs/node/issues/63785) read a key that has escapes as another key,
 * if the same process has seen one before that is spelled like the first characters of it: after `{"a":[],"gr\\u0":0}`,
 * `{"a":1,"gr\u00f6\u00dfe":1}` has the key `gr\u0`. So whoever sends a manager JSON could rename what others send.
 * With this module, JSON.parse of this process gives it no keys with escapes. It can go when Node has mended that.
 */

const native = JSON.parse

type Escaped = { readonly begin: number; readonly end: number; readonly key: string }

/** Keys with escapes, as they stand in the text. @throws SyntaxError at what is no string */
function escapedKeys(text: string): readonly Escaped[] {
  const found: Escaped[] = []
  for (let at = text.indexOf('\\'); at >= 0; ) {
    const begin = text.lastIndexOf('"', at)
    const end = endOfString(text, at)
    if (isKey(text, end)) found.push({ begin, end, key: native(text.slice(begin, end)) as string })
    at = text.indexOf('\\', end)
  }
  return found
}

/** Behind the quote that ends the string in which the escape is. */
function endOfString(text: string, within: number): number {
  let at = within
  while (at < text.length && text[at] !== '"') at += text[at] === '\\' ? 2 : 1
  return at + 1
}

function isKey(text: string, end: number): boolean {
  let at = end
  while (text[at] === ' ' || text[at] === '\n' || text[at] === '\r' || text[at] === '\t') at += 1
  return text[at] === ':'
}

/** As JSON.parse without a reviver. */
export function parseExactly(text: string): unknown {
  if (!text.includes('\\')) return native(text)
  const pieces: string[] = []
  const names = new Map<string, string>()
  try {
    const found = escapedKeys(text)
    if (found.length === 0) return native(text)
    const prefix = unusedIn([text, ...found.map(({ key }) => key)])
    let at = 0
    for (const { begin, end, key } of found) {
      const plain = JSON.stringify(key)
      let written = plain
      // What cannot be written without an escape gets another name for as long.
      if (plain.includes('\\')) {
        const name = names.get(key) ?? `${prefix}${names.size}`
        names.set(key, name)
        written = `"${name}"`
      }
      pieces.push(text.slice(at, begin), written)
      at = end
    }
    pieces.push(text.slice(at))
    const value: unknown = native(pieces.join(''))
    if (names.size > 0) rename(value, new Map([...names].map(([key, name]) => [name, key])))
    return value
  } catch {
    return native(text) // it throws, and says where
  }
}

const marked = /\ue000(\d+)_/g

/** What no name begins with, whatever somebody sends. */
function unusedIn(texts: readonly string[]): string {
  const used = new Set(
    texts.flatMap((text) => [...text.matchAll(marked)].map(([, number]) => Number(number))),
  )
  let unused = 0
  while (used.has(unused)) unused += 1
  return `\ue000${unused}_`
}

/** Gives members their own names, in place and in their order. */
function rename(value: unknown, keys: ReadonlyMap<string, string>): void {
  const left = [value]
  for (let one = left.pop(); left.length > 0 || one !== undefined; one = left.pop()) {
    if (typeof one !== 'object' || one === null) continue
    const members = Object.entries(one)
    for (const [, member] of members) if (typeof member === 'object' && member !== null) left.push(member)
    if (Array.isArray(one) || !members.some(([name]) => keys.has(name))) continue
    for (const [name] of members) Reflect.deleteProperty(one, name)
    for (const [name, member] of members) {
      const own = { value: member, writable: true, enumerable: true, configurable: true }
      Object.defineProperty(one, keys.get(name) ?? name, own) // `__proto__` is a name as any other
    }
  }
}

type Reviver = Parameters<typeof native>[1]

JSON.parse = (text: string, reviver?: Reviver) =>
  typeof text !== 'string' || typeof reviver === 'function' ? native(text, reviver) : parseExactly(text)
