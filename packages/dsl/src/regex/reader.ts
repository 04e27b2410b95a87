/** A pattern that is being read. */
export type Reader = {
  readonly chars: readonly string[]
  at: number
}

/** Not a regular expression in Python's syntax. */
export class BadRegex extends Error {}

export type Flags = {
  readonly ignoreCase: boolean
  readonly multiline: boolean
  readonly dotAll: boolean
  readonly verbose: boolean
  readonly ascii: boolean
}

export function peek(reader: Reader): string {
  return reader.chars[reader.at] ?? ''
}

export function eat(reader: Reader, text: string): boolean {
  for (let index = 0; index < text.length; index++) {
    if (reader.chars[reader.at + index] !== text[index]) return false
  }
  reader.at += text.length
  return true
}

/** The text up to `end`, which is passed. */
export function until(reader: Reader, end: string): string {
  const close = reader.chars.indexOf(end, reader.at)
  if (close === -1) throw new BadRegex(`missing ${end}`)
  const text = reader.chars.slice(reader.at, close).join('')
  reader.at = close + 1
  return text
}
