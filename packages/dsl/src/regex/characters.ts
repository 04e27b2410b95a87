import { BadRegex, eat, type Flags, peek, type Reader } from './reader.ts'

/** A set of characters, as in `[a-z]`, `.` or `\d`. */
export type Characters = {
  readonly holds: (codePoint: number) => boolean
  /** Work of one test, in steps of the matcher. */
  readonly cost: number
}

export function sameCharacter(code: number, flags: Flags): Characters {
  const same: Characters = { holds: (other) => other === code, cost: 1 }
  return flags.ignoreCase ? withCases(same, flags) : same
}

/** Also what is another case of a character in the set. */
function withCases({ holds, cost }: Characters, flags: Flags): Characters {
  return {
    cost: 20 + 4 * cost,
    holds(code) {
      if (holds(code)) return true
      if (flags.ascii && code > 127) return false
      return otherCases(code).some((other) => (!flags.ascii || other < 128) && holds(other))
    },
  }
}

function otherCases(code: number): readonly number[] {
  const char = String.fromCodePoint(code)
  const lower = char.toLowerCase()
  return [lower, char.toUpperCase(), lower.toUpperCase()].flatMap((text) => {
    const [only, ...more] = [...text]
    return only === undefined || more.length > 0 ? [] : [only.codePointAt(0) ?? 0]
  })
}

const SIMPLE_ESCAPES: { readonly [letter: string]: number } = { a: 7, b: 8, f: 12, n: 10, r: 13, t: 9, v: 11 }

const WORD = /^[\p{L}\p{N}_]$/u
const SPACE = /^\s$/u
const DIGIT = /^\p{Nd}$/u

type Test = Characters['holds']

/** The characters of `\d` and its like; null for other escapes. */
export function categoryAt(reader: Reader, flags: Flags): Characters | null {
  const char = peek(reader)
  const lower = char.toLowerCase()
  const test = lower === 'd' ? isDigit : lower === 's' ? isSpace : lower === 'w' ? isWord : null
  if (test === null) return null
  reader.at += 1
  const { ascii } = flags
  return { holds: lower === char ? (code) => test(code, ascii) : (code) => !test(code, ascii), cost: 2 }
}

function isDigit(code: number, ascii: boolean): boolean {
  if (code < 128 || ascii) return code >= 48 && code <= 57
  return DIGIT.test(String.fromCodePoint(code))
}

function isSpace(code: number, ascii: boolean): boolean {
  if (ascii) return code === 32 || (code >= 9 && code <= 13)
  // Python counts four separators and NEL, and not the byte order mark.
  if ((code >= 28 && code <= 31) || code === 0x85) return true
  return code !== 0xfeff && SPACE.test(String.fromCodePoint(code))
}

export function isWord(code: number, ascii: boolean): boolean {
  if (code < 128 || ascii) {
    return (
      (code >= 97 && code <= 122) || (code >= 65 && code <= 90) || (code >= 48 && code <= 57) || code === 95
    )
  }
  return WORD.test(String.fromCodePoint(code))
}

/** The character that an escape stands for; the backslash is passed. */
export function escapedCode(reader: Reader, inClass: boolean): number {
  const char = peek(reader)
  if (char === '') throw new BadRegex('bad escape (end of pattern)')
  reader.at += 1
  const hex = { x: 2, u: 4, U: 8 }[char]
  if (hex !== undefined) return hexCode(reader, hex)
  if (char === 'N') throw new BadRegex('characters cannot be named here')
  if (/^[0-7]$/.test(char) && (inClass || char === '0' || /^[1-3]$/.test(char))) {
    reader.at -= 1
    return octalCode(reader)
  }
  const simple = SIMPLE_ESCAPES[char]
  if (simple !== undefined && (char !== 'b' || inClass)) return simple
  if (/^[a-zA-Z0-9]$/.test(char)) throw new BadRegex(`bad escape \\${char}`)
  return char.codePointAt(0) ?? 0
}

function hexCode(reader: Reader, length: number): number {
  const digits = reader.chars.slice(reader.at, reader.at + length).join('')
  if (digits.length < length || !/^[0-9a-fA-F]+$/.test(digits)) throw new BadRegex('incomplete escape')
  reader.at += length
  const code = Number.parseInt(digits, 16)
  if (code > 0x10ffff) throw new BadRegex('bad escape')
  return code
}

function octalCode(reader: Reader): number {
  const digits = /^[0-7]{1,3}/.exec(reader.chars.slice(reader.at, reader.at + 3).join(''))?.[0] ?? ''
  reader.at += digits.length
  const code = Number.parseInt(digits, 8)
  if (code > 0o377) throw new BadRegex('octal escape value outside of range 0-0o377')
  return code
}

/** After an opening bracket. */
export function parseClass(reader: Reader, flags: Flags): Characters {
  const negated = eat(reader, '^')
  const tests: Test[] = []
  for (let isFirst = true; ; isFirst = false) {
    if (reader.at >= reader.chars.length) throw new BadRegex('unterminated character set')
    if (!isFirst && eat(reader, ']')) break
    const low = classItem(reader, flags)
    if (peek(reader) !== '-' || reader.chars[reader.at + 1] === ']') {
      tests.push(typeof low === 'number' ? (code) => code === low : low.holds)
      continue
    }
    reader.at += 1
    if (reader.at >= reader.chars.length) throw new BadRegex('unterminated character set')
    const high = classItem(reader, flags)
    if (typeof low !== 'number' || typeof high !== 'number' || high < low) {
      throw new BadRegex('bad character range')
    }
    tests.push((code) => code >= low && code <= high)
  }
  const any: Characters = { holds: (code) => tests.some((test) => test(code)), cost: 1 + tests.length }
  const { holds, cost } = flags.ignoreCase ? withCases(any, flags) : any
  return negated ? { holds: (code) => !holds(code), cost } : { holds, cost }
}

function classItem(reader: Reader, flags: Flags): number | Characters {
  const char = peek(reader)
  reader.at += 1
  if (char !== '\\') return char.codePointAt(0) ?? 0
  return categoryAt(reader, flags) ?? escapedCode(reader, true)
}
