import { isWord } from './characters.ts'
import { type Anchor, type ParsedRegex, parseRegex } from './parse.ts'
import { type CompiledRegex, compileRegex, type Program, RegexTooCostly } from './program.ts'
import { BadRegex } from './reader.ts'

export { RegexTooCostly } from './program.ts'

/**
 * Work that may still be done; shared by all patterns of one check, as a blueprint may have any number of them. A step
 * takes some 20 ns, and a pattern on an input's value takes hundreds.
 */
export type StepBudget = {
  left: number
}

export function newStepBudget(): StepBudget {
  return { left: 5_000_000 }
}

/** One bit for each place of the program at each place of the text; beyond this they are kept in a set. */
const MOST_BITS = 1 << 26

/** A Python regular expression; null when Python would not compile it. */
export function pythonRegex(pattern: string): ParsedRegex | null {
  try {
    return parseRegex(pattern)
  } catch (error) {
    if (error instanceof BadRegex) return null
    throw error
  }
}

/**
 * Whether the text matches from its start, as `re.match` says it. Blueprints are hostile and an engine that goes
 * back may take time exponential in the text, so here no place of the program is tried twice at one place of the text:
 * the time is their product. Only what refers to earlier groups can take longer, and then the steps are counted.
 *
 * @throws RegexTooCostly when the budget is spent
 */
export function matchesFromStart(regex: ParsedRegex, text: string, budget: StepBudget): boolean {
  const compiled = compileRegex(regex)
  spend(budget, compiled.instructions + text.length)
  const codes = Array.from(text, (char) => char.codePointAt(0) ?? 0)
  const slots: readonly number[] = Array(compiled.refersBack ? compiled.slots : 0).fill(-1)
  return run({ compiled, codes, budget }, compiled.program, 0, slots) !== null
}

type Match = {
  readonly compiled: CompiledRegex
  readonly codes: readonly number[]
  readonly budget: StepBudget
}

function spend(budget: StepBudget, steps: number): void {
  budget.left -= steps
  if (budget.left < 0) throw new RegexTooCostly('too many steps')
}

type State = {
  readonly at: number
  readonly position: number
  readonly slots: readonly number[]
}

/** The end of the first match in the order of preference; null when there is none. */
function run(match: Match, program: Program, start: number, begun: readonly number[]): State | null {
  const { codes, budget } = match
  const isTried = match.compiled.refersBack ? never : newTried(match, program.length)
  const alternatives: State[] = [{ at: 0, position: start, slots: begun }]
  for (let state = alternatives.pop(); state !== undefined; state = alternatives.pop()) {
    let { at, position, slots } = state
    let isAlive = true
    while (isAlive) {
      spend(budget, 1)
      const instruction = program[at]
      if (instruction === undefined) throw new Error('a regular expression ran out of its program')
      at += 1
      switch (instruction.kind) {
        case 'done':
          return { at, position, slots }
        case 'characters': {
          const { holds, cost } = instruction.characters
          const code = codes[position]
          spend(budget, cost)
          isAlive = code !== undefined && holds(code)
          position += 1
          break
        }
        case 'anchor':
          isAlive = stands(instruction, codes, position)
          break
        case 'either':
          if (isTried(at, position)) isAlive = false
          else {
            alternatives.push({ at: instruction.second, position, slots })
            at = instruction.first
          }
          break
        case 'jump':
          at = instruction.to
          break
        case 'save':
          spend(budget, slots.length >> 4)
          slots = slots.with(instruction.slot, position)
          break
        case 'progress':
          if (slots[instruction.slot] === position) at = instruction.exit
          break
        case 'look': {
          const from = position - instruction.back
          const found = from < 0 ? null : run(match, instruction.program, from, slots)
          isAlive = (found !== null) !== instruction.negated
          if (found !== null && !instruction.negated) slots = found.slots
          break
        }
        case 'atomic': {
          const found = run(match, instruction.program, position, slots)
          isAlive = found !== null
          if (found !== null) ({ position, slots } = found)
          break
        }
        case 'reference': {
          const length = repeats(codes, slots, instruction, position)
          spend(budget, length ?? 0)
          isAlive = length !== null
          position += length ?? 0
          break
        }
        case 'if':
          if ((slots[2 * instruction.group + 1] ?? -1) < 0) at = instruction.otherwise
      }
    }
  }
  return null
}

type Tried = (at: number, position: number) => boolean

const never: Tried = () => false

/** Remembers which alternatives were tried where: what failed once fails again. */
function newTried(match: Match, instructions: number): Tried {
  const width = match.codes.length + 1
  const size = (instructions + 1) * width
  if (size > MOST_BITS) {
    const tried = new Set<number>()
    return (at, position) => tried.size === tried.add(at * width + position).size
  }
  let bits: Uint8Array | null = null
  return (at, position) => {
    if (bits === null) {
      bits = new Uint8Array((size >> 3) + 1)
      spend(match.budget, bits.length >> 8)
    }
    const index = at * width + position
    const bit = 1 << (index & 7)
    const byte = bits[index >> 3] ?? 0
    bits[index >> 3] = byte | bit
    return (byte & bit) !== 0
  }
}

function stands(
  { anchor, ascii }: { readonly anchor: Anchor; readonly ascii: boolean },
  codes: readonly number[],
  position: number,
): boolean {
  const isEnd = position === codes.length
  switch (anchor) {
    case 'start':
      return position === 0
    case 'end':
      return isEnd
    case 'line start':
      return position === 0 || codes[position - 1] === 10
    case 'line end':
      return isEnd || codes[position] === 10
    case 'end or last newline':
      return isEnd || (position === codes.length - 1 && codes[position] === 10)
    case 'word':
      return isWordAt(codes, position - 1, ascii) !== isWordAt(codes, position, ascii)
    case 'no word':
      return codes.length > 0 && isWordAt(codes, position - 1, ascii) === isWordAt(codes, position, ascii)
  }
}

function isWordAt(codes: readonly number[], position: number, ascii: boolean): boolean {
  const code = codes[position]
  return code !== undefined && isWord(code, ascii)
}

/** How long what the group matched is, when it stands here again. */
function repeats(
  codes: readonly number[],
  slots: readonly number[],
  { group, ignoreCase }: { readonly group: number; readonly ignoreCase: boolean },
  position: number,
): number | null {
  const start = slots[2 * group] ?? -1
  const end = slots[2 * group + 1] ?? -1
  if (start < 0 || end < start) return null
  for (let index = start; index < end; index++) {
    const written = codes[index] ?? 0
    const found = codes[position + index - start]
    if (found === undefined) return null
    if (found !== written && !(ignoreCase && lowerCase(found) === lowerCase(written))) return null
  }
  return end - start
}

function lowerCase(code: number): string {
  return String.fromCodePoint(code).toLowerCase()
}
