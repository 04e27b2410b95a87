import { type Characters, categoryAt, escapedCode, parseClass, sameCharacter } from './characters.ts'
import { BadRegex, eat, type Flags, peek, type Reader, until } from './reader.ts'

/** What must hold between two characters. */
export type Anchor = 'start' | 'end' | 'line start' | 'line end' | 'end or last newline' | 'word' | 'no word'

/** The least and the most characters that an expression matches. */
type Width = readonly [number, number]

/** A Python regular expression as a tree. */
export type Regex =
  | { readonly kind: 'characters'; readonly characters: Characters }
  | { readonly kind: 'anchor'; readonly anchor: Anchor; readonly ascii: boolean }
  | { readonly kind: 'sequence'; readonly items: readonly Regex[] }
  | { readonly kind: 'choice'; readonly options: readonly Regex[] }
  | {
      readonly kind: 'repeat'
      readonly item: Regex
      readonly least: number
      readonly most: number
      readonly style: 'greedy' | 'lazy' | 'possessive'
    }
  | { readonly kind: 'group'; readonly number: number; readonly item: Regex }
  | { readonly kind: 'atomic'; readonly item: Regex }
  | {
      readonly kind: 'look'
      /** Characters to step back first: 0 looks ahead. */
      readonly back: number
      readonly negated: boolean
      readonly item: Regex
    }
  | {
      readonly kind: 'reference'
      readonly group: number
      readonly width: Width
      readonly ignoreCase: boolean
    }
  | { readonly kind: 'if'; readonly group: number; readonly then: Regex; readonly otherwise: Regex }

export type ParsedRegex = {
  readonly root: Regex
  readonly groups: number
  /** Whether what groups matched has a say in what follows. */
  readonly refersBack: boolean
}

interface Parser extends Reader {
  groups: number
  refersBack: boolean
  readonly names: Map<string, number>
  readonly open: Set<number>
  readonly widths: Map<number, Width>
  /** Groups that were there when the look-behind began; null outside of one. */
  behindAfter: number | null
  /** Each conditional's group, which may be opened after it. */
  readonly conditions: number[]
  depth: number
}

const MAX_DEPTH = 100
const MAX_REPEAT = 4_294_967_295

/**
 * Python's syntax (the `re` module of 3.11), which is that of blueprints (docs/reference/language/constraints.md,
 * "Operators"). Throws `BadRegex` for whatever Python would not compile.
 */
export function parseRegex(pattern: string): ParsedRegex {
  const parser: Parser = {
    chars: [...pattern],
    at: 0,
    groups: 0,
    refersBack: false,
    names: new Map(),
    open: new Set(),
    widths: new Map(),
    behindAfter: null,
    conditions: [],
    depth: 0,
  }
  const root = parseChoice(parser, globalFlags(parser))
  if (parser.at < parser.chars.length) throw new BadRegex('unbalanced parenthesis')
  if (parser.conditions.some((group) => group > parser.groups)) throw new BadRegex('invalid group reference')
  return { root, groups: parser.groups, refersBack: parser.refersBack }
}

const NO_FLAGS: Flags = { ignoreCase: false, multiline: false, dotAll: false, verbose: false, ascii: false }
const FLAG_NAMES: { readonly [letter: string]: keyof Flags } = {
  i: 'ignoreCase',
  m: 'multiline',
  s: 'dotAll',
  x: 'verbose',
  a: 'ascii',
}

/** `(?imsx)` at the start; anywhere else it is an error. */
function globalFlags(parser: Parser): Flags {
  let flags = NO_FLAGS
  for (;;) {
    const match = /^\(\?([aimsux]+)\)/.exec(parser.chars.slice(parser.at, parser.at + 20).join(''))
    if (match === null) return flags
    flags = withFlags(flags, match[1] ?? '', true)
    parser.at += match[0].length
  }
}

function withFlags(flags: Flags, letters: string, value: boolean): Flags {
  if (letters.includes('a') && letters.includes('u')) throw new BadRegex("flags 'a' and 'u' are incompatible")
  const changed: { -readonly [name in keyof Flags]: boolean } = { ...flags }
  for (const letter of letters) {
    const name = FLAG_NAMES[letter]
    if (name !== undefined) changed[name] = value
    if (letter === 'u') changed.ascii = false
  }
  return changed
}

function parseChoice(parser: Parser, flags: Flags): Regex {
  parser.depth += 1
  if (parser.depth > MAX_DEPTH) throw new BadRegex('nested too deeply')
  const options = [parseSequence(parser, flags)]
  while (eat(parser, '|')) options.push(parseSequence(parser, flags))
  parser.depth -= 1
  return options.length === 1 && options[0] !== undefined ? options[0] : { kind: 'choice', options }
}

function parseSequence(parser: Parser, flags: Flags): Regex {
  const items: Regex[] = []
  while (parser.at < parser.chars.length && peek(parser) !== '|' && peek(parser) !== ')') {
    if (flags.verbose && skippedVerbose(parser)) continue
    // After a comment it is what stands before the comment that is repeated.
    const item = parseItem(parser, flags) ?? (isRepeatAhead(parser) ? items.pop() : null)
    if (item === undefined) throw new BadRegex('nothing to repeat')
    if (item !== null) items.push(repeated(parser, flags, item))
  }
  return { kind: 'sequence', items }
}

function skippedVerbose(parser: Parser): boolean {
  const char = peek(parser)
  if (/^[ \t\n\r\v\f]$/.test(char)) {
    parser.at += 1
    return true
  }
  if (char !== '#') return false
  while (parser.at < parser.chars.length && peek(parser) !== '\n') parser.at += 1
  return true
}

/** One item without its repetition; null for a comment. */
function parseItem(parser: Parser, flags: Flags): Regex | null {
  if (isRepeatAhead(parser)) throw new BadRegex('nothing to repeat')
  const char = peek(parser)
  parser.at += 1
  switch (char) {
    case '\\':
      return parseEscape(parser, flags)
    case '[':
      return { kind: 'characters', characters: parseClass(parser, flags) }
    case '(':
      return parseGroup(parser, flags)
    case '.':
      return { kind: 'characters', characters: { holds: (code) => flags.dotAll || code !== 10, cost: 1 } }
    case '^':
      return { kind: 'anchor', anchor: flags.multiline ? 'line start' : 'start', ascii: flags.ascii }
    case '$':
      return {
        kind: 'anchor',
        anchor: flags.multiline ? 'line end' : 'end or last newline',
        ascii: flags.ascii,
      }
    default:
      return { kind: 'characters', characters: sameCharacter(char.codePointAt(0) ?? 0, flags) }
  }
}

/** What may follow `{`, e.g. `2,3}`; null when the brace stands for itself. */
function boundsAt(
  parser: Parser,
): { readonly least: number; readonly most: number; readonly length: number } | null {
  const match = /^\{(\d*)(,?)(\d*)\}/.exec(parser.chars.slice(parser.at, parser.at + 64).join(''))
  if (match === null || (match[1] === '' && match[2] === '')) return null
  const least = match[1] === '' ? 0 : Number(match[1])
  const most = match[2] === '' ? least : match[3] === '' ? Number.POSITIVE_INFINITY : Number(match[3])
  return { least, most, length: match[0].length }
}

function repetitionAt(parser: Parser): ReturnType<typeof boundsAt> {
  switch (peek(parser)) {
    case '*':
      return { least: 0, most: Number.POSITIVE_INFINITY, length: 1 }
    case '+':
      return { least: 1, most: Number.POSITIVE_INFINITY, length: 1 }
    case '?':
      return { least: 0, most: 1, length: 1 }
    case '{':
      return boundsAt(parser)
    default:
      return null
  }
}

function isRepeatAhead(parser: Parser): boolean {
  return repetitionAt(parser) !== null
}

function repeated(parser: Parser, flags: Flags, item: Regex): Regex {
  if (flags.verbose) while (skippedVerbose(parser));
  const bounds = repetitionAt(parser)
  if (bounds === null) return item
  const { least, most, length } = bounds
  if (least >= MAX_REPEAT || (Number.isFinite(most) && most >= MAX_REPEAT)) {
    throw new BadRegex('the repetition number is too large')
  }
  if (most < least) throw new BadRegex('min repeat greater than max repeat')
  if (item.kind === 'anchor') throw new BadRegex('nothing to repeat')
  if (item.kind === 'repeat') throw new BadRegex('multiple repeat')
  parser.at += length
  const style = eat(parser, '?') ? 'lazy' : eat(parser, '+') ? 'possessive' : 'greedy'
  if (flags.verbose) while (skippedVerbose(parser));
  if (isRepeatAhead(parser)) throw new BadRegex('multiple repeat')
  return { kind: 'repeat', item, least, most, style }
}

/** After an opening parenthesis. Null for what matches nothing: a comment. */
function parseGroup(parser: Parser, flags: Flags): Regex | null {
  if (!eat(parser, '?')) return captured(parser, flags, null)
  if (eat(parser, 'P')) {
    if (eat(parser, '<')) return captured(parser, flags, groupName(until(parser, '>')))
    if (eat(parser, '=')) return referenceTo(parser, flags, namedGroup(parser, until(parser, ')')))
    throw new BadRegex('unknown extension ?P')
  }
  if (eat(parser, '#')) {
    until(parser, ')')
    return null
  }
  if (eat(parser, ':')) return closed(parser, parseChoice(parser, flags))
  if (eat(parser, '>')) return { kind: 'atomic', item: closed(parser, parseChoice(parser, flags)) }
  if (eat(parser, '=')) return look(parser, flags, false, false)
  if (eat(parser, '!')) return look(parser, flags, false, true)
  if (eat(parser, '<=')) return look(parser, flags, true, false)
  if (eat(parser, '<!')) return look(parser, flags, true, true)
  if (eat(parser, '(')) return conditional(parser, flags)
  return closed(parser, parseChoice(parser, scopedFlags(parser, flags)))
}

/** `(?i-s:…)` */
function scopedFlags(parser: Parser, flags: Flags): Flags {
  const match = /^([aimsux]*)(?:-([imsx]+))?:/.exec(parser.chars.slice(parser.at, parser.at + 20).join(''))
  const [all = '', on = '', off = ''] = match ?? []
  if (match === null || (on === '' && off === '')) throw new BadRegex('unknown extension')
  if ([...on].some((letter) => off.includes(letter))) throw new BadRegex('flag turned on and off')
  parser.at += all.length
  return withFlags(withFlags(flags, on, true), off, false)
}

function closed(parser: Parser, item: Regex): Regex {
  if (!eat(parser, ')')) throw new BadRegex('missing ), unterminated subpattern')
  return item
}

function captured(parser: Parser, flags: Flags, name: string | null): Regex {
  parser.groups += 1
  const number = parser.groups
  if (name !== null) {
    if (parser.names.has(name)) throw new BadRegex(`redefinition of group name '${name}'`)
    parser.names.set(name, number)
  }
  parser.open.add(number)
  const item = closed(parser, parseChoice(parser, flags))
  parser.open.delete(number)
  parser.widths.set(number, widthOf(item))
  return { kind: 'group', number, item }
}

function groupName(name: string): string {
  if (!/^[\p{L}_][\p{L}\p{N}\p{M}_]*$/u.test(name))
    throw new BadRegex(`bad character in group name '${name}'`)
  return name
}

function namedGroup(parser: Parser, name: string): number {
  const number = parser.names.get(groupName(name))
  if (number === undefined) throw new BadRegex(`unknown group name '${name}'`)
  return number
}

function referenceTo(parser: Parser, flags: Flags, group: number): Regex {
  if (group > parser.groups) throw new BadRegex(`invalid group reference ${group}`)
  if (parser.open.has(group)) throw new BadRegex('cannot refer to an open group')
  if (parser.behindAfter !== null && group > parser.behindAfter) {
    throw new BadRegex('cannot refer to a group of the same look-behind')
  }
  parser.refersBack = true
  const width = parser.widths.get(group) ?? [0, 0]
  return { kind: 'reference', group, width, ignoreCase: flags.ignoreCase }
}

function look(parser: Parser, flags: Flags, behind: boolean, negated: boolean): Regex {
  const outer = parser.behindAfter
  if (behind) parser.behindAfter ??= parser.groups
  const item = closed(parser, parseChoice(parser, flags))
  parser.behindAfter = outer
  if (!behind) return { kind: 'look', back: 0, negated, item }
  const [least, most] = widthOf(item)
  if (least !== most) throw new BadRegex('look-behind requires fixed-width pattern')
  return { kind: 'look', back: least, negated, item }
}

/** `(?(1)yes|no)` */
function conditional(parser: Parser, flags: Flags): Regex {
  const name = until(parser, ')')
  const isNumber = /^\d+$/.test(name)
  const group = isNumber ? Number(name) : namedGroup(parser, name)
  if (group === 0) throw new BadRegex('bad group number')
  parser.conditions.push(group)
  parser.refersBack = true
  const then = parseSequence(parser, flags)
  const otherwise: Regex = eat(parser, '|') ? parseSequence(parser, flags) : { kind: 'sequence', items: [] }
  if (peek(parser) === '|') throw new BadRegex('conditional backref with more than two branches')
  return closed(parser, { kind: 'if', group, then, otherwise })
}

function widthOf(regex: Regex): Width {
  switch (regex.kind) {
    case 'characters':
      return [1, 1]
    case 'anchor':
    case 'look':
      return [0, 0]
    case 'sequence':
      return regex.items.map(widthOf).reduce<Width>(([a, b], [c, d]) => [a + c, b + d], [0, 0])
    case 'choice':
      return widest(regex.options)
    case 'if':
      return widest([regex.then, regex.otherwise])
    case 'group':
    case 'atomic':
      return widthOf(regex.item)
    case 'repeat': {
      const [least, most] = widthOf(regex.item)
      return [least * regex.least, most === 0 || regex.most === 0 ? 0 : most * regex.most]
    }
    case 'reference':
      return regex.width
  }
}

function widest(options: readonly Regex[]): Width {
  const widths = options.map(widthOf)
  return [Math.min(...widths.map(([least]) => least)), Math.max(...widths.map(([, most]) => most))]
}

function parseEscape(parser: Parser, flags: Flags): Regex {
  const char = peek(parser)
  switch (char) {
    case 'A':
      parser.at += 1
      return { kind: 'anchor', anchor: 'start', ascii: flags.ascii }
    case 'Z':
      parser.at += 1
      return { kind: 'anchor', anchor: 'end', ascii: flags.ascii }
    case 'b':
      parser.at += 1
      return { kind: 'anchor', anchor: 'word', ascii: flags.ascii }
    case 'B':
      parser.at += 1
      return { kind: 'anchor', anchor: 'no word', ascii: flags.ascii }
  }
  const category = categoryAt(parser, flags)
  if (category !== null) return { kind: 'characters', characters: category }
  if (/^[1-9]$/.test(char)) {
    const octal = /^[0-3][0-7][0-7]/.exec(parser.chars.slice(parser.at, parser.at + 3).join(''))
    if (octal === null) {
      const digits = /^\d\d?/.exec(parser.chars.slice(parser.at, parser.at + 2).join(''))?.[0] ?? ''
      if (/^[4-7][0-7][0-7]/.test(parser.chars.slice(parser.at, parser.at + 3).join(''))) {
        throw new BadRegex('octal escape value outside of range 0-0o377')
      }
      parser.at += digits.length
      return referenceTo(parser, flags, Number(digits))
    }
  }
  return { kind: 'characters', characters: sameCharacter(escapedCode(parser, false), flags) }
}
