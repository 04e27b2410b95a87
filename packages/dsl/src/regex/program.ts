import type { Characters } from './characters.ts'
import type { Anchor, ParsedRegex, Regex } from './parse.ts'

/** What a matcher does, one after the other; numbers are places in the program. */
export type Instruction =
  | { readonly kind: 'characters'; readonly characters: Characters }
  | { readonly kind: 'anchor'; readonly anchor: Anchor; readonly ascii: boolean }
  /** Goes on at the first of them, and at the next when that fails. */
  | { readonly kind: 'either'; readonly first: number; readonly second: number }
  | { readonly kind: 'jump'; readonly to: number }
  | { readonly kind: 'save'; readonly slot: number }
  /** Leaves a loop whose last round matched nothing. */
  | { readonly kind: 'progress'; readonly slot: number; readonly exit: number }
  | { readonly kind: 'look'; readonly program: Program; readonly back: number; readonly negated: boolean }
  | { readonly kind: 'atomic'; readonly program: Program }
  | { readonly kind: 'reference'; readonly group: number; readonly ignoreCase: boolean }
  | { readonly kind: 'if'; readonly group: number; readonly otherwise: number }
  | { readonly kind: 'done' }

export type Program = readonly Instruction[]

export type CompiledRegex = {
  readonly program: Program
  /** Two for each group, then one for each loop. */
  readonly slots: number
  readonly refersBack: boolean
  readonly instructions: number
}

/** The pattern asks for more work than any sensible one. */
export class RegexTooCostly extends Error {}

/** Counted repetitions are written out; nested ones multiply. */
const MOST_INSTRUCTIONS = 100_000

type Compiler = {
  instructions: number
  slots: number
  readonly refersBack: boolean
}

/** Throws `RegexTooCostly`. */
export function compileRegex({ root, groups, refersBack }: ParsedRegex): CompiledRegex {
  const compiler: Compiler = { instructions: 0, slots: 2 * (groups + 1), refersBack }
  const program = programOf(compiler, root)
  return { program, slots: compiler.slots, refersBack, instructions: compiler.instructions }
}

function programOf(compiler: Compiler, root: Regex): Program {
  const program: Instruction[] = []
  emit(compiler, program, root)
  program.push({ kind: 'done' })
  return program
}

function add(compiler: Compiler, program: Instruction[], instruction: Instruction): number {
  compiler.instructions += 1
  if (compiler.instructions > MOST_INSTRUCTIONS) throw new RegexTooCostly('too many repetitions')
  return program.push(instruction) - 1
}

function emit(compiler: Compiler, program: Instruction[], regex: Regex): void {
  switch (regex.kind) {
    case 'characters':
      add(compiler, program, regex)
      return
    case 'anchor':
      add(compiler, program, regex)
      return
    case 'sequence':
      for (const item of regex.items) emit(compiler, program, item)
      return
    case 'choice':
      emitChoice(compiler, program, regex.options)
      return
    case 'repeat':
      if (regex.style !== 'possessive') emitRepeat(compiler, program, regex)
      else {
        const item: Regex = { ...regex, style: 'greedy' }
        add(compiler, program, { kind: 'atomic', program: programOf(compiler, item) })
      }
      return
    case 'group':
      if (compiler.refersBack) add(compiler, program, { kind: 'save', slot: 2 * regex.number })
      emit(compiler, program, regex.item)
      if (compiler.refersBack) add(compiler, program, { kind: 'save', slot: 2 * regex.number + 1 })
      return
    case 'atomic':
      add(compiler, program, { kind: 'atomic', program: programOf(compiler, regex.item) })
      return
    case 'look': {
      const { back, negated } = regex
      add(compiler, program, { kind: 'look', program: programOf(compiler, regex.item), back, negated })
      return
    }
    case 'reference':
      add(compiler, program, { kind: 'reference', group: regex.group, ignoreCase: regex.ignoreCase })
      return
    case 'if': {
      const at = add(compiler, program, { kind: 'done' })
      emit(compiler, program, regex.then)
      const jump = add(compiler, program, { kind: 'done' })
      program[at] = { kind: 'if', group: regex.group, otherwise: program.length }
      emit(compiler, program, regex.otherwise)
      program[jump] = { kind: 'jump', to: program.length }
    }
  }
}

function emitChoice(compiler: Compiler, program: Instruction[], options: readonly Regex[]): void {
  const jumps: number[] = []
  for (const [index, option] of options.entries()) {
    if (index === options.length - 1) emit(compiler, program, option)
    else {
      const at = add(compiler, program, { kind: 'done' })
      emit(compiler, program, option)
      jumps.push(add(compiler, program, { kind: 'done' }))
      program[at] = { kind: 'either', first: at + 1, second: program.length }
    }
  }
  for (const jump of jumps) program[jump] = { kind: 'jump', to: program.length }
}

function emitRepeat(
  compiler: Compiler,
  program: Instruction[],
  { item, least, most, style }: Extract<Regex, { kind: 'repeat' }>,
): void {
  const either = (at: number, exit: number): void => {
    program[at] =
      style === 'lazy'
        ? { kind: 'either', first: exit, second: at + 1 }
        : { kind: 'either', first: at + 1, second: exit }
  }
  const copy = (): void => {
    // Counted even where the item is empty.
    add(compiler, program, { kind: 'jump', to: program.length + 1 })
    emit(compiler, program, item)
  }
  for (let round = 0; round < least; round++) copy()
  if (most === Number.POSITIVE_INFINITY) {
    const slot = compiler.slots++
    const at = add(compiler, program, { kind: 'done' })
    if (compiler.refersBack) add(compiler, program, { kind: 'save', slot })
    emit(compiler, program, item)
    if (compiler.refersBack) {
      add(compiler, program, { kind: 'progress', slot, exit: program.length + 2 })
    }
    add(compiler, program, { kind: 'jump', to: at })
    either(at, program.length)
    return
  }
  const exits: number[] = []
  for (let round = least; round < most; round++) {
    exits.push(add(compiler, program, { kind: 'done' }))
    copy()
  }
  for (const at of exits) either(at, program.length)
}
