import { DslError } from '../diagnostic.ts'
import { isList, type Json } from '../json.ts'
import { callOf } from './call.ts'
import type { FunctionName } from './names.ts'

/**
 * What one evaluation may cost, all its functions together. Values that name each other multiply, and so does what
 * functions make of texts: a few kilobytes of blueprint can ask for more than any machine has.
 */
export type Limits = {
  /** Values looked at. A call counts as `STEPS_OF_CALL`. */
  readonly steps: number
  /** Of all that functions are given and give, as if nothing of it were shared. */
  readonly bytes: number
}

const MiB = 2 ** 20

/** One reading: outputs, capabilities, the nodes of a page, parameters. About a second in all, in short turns. */
export const READ_LIMITS: Limits = { steps: 1_000_000, bytes: 16 * MiB }

/** The functions of one deployment when it is created: more than any blueprint of a person needs. */
const CREATION_LIMITS: Limits = { steps: 20_000_000, bytes: 64 * MiB }

/** What planning a deployment may cost. */
export type PlanningLimits = {
  readonly functions: Limits
  /** Of all nodes and scaling groups together. */
  readonly instances: number
}

export const PLANNING_LIMITS: PlanningLimits = { functions: CREATION_LIMITS, instances: 200_000 }

/** What is left of the limits; shared by everything that one evaluation calls. */
export type Budget = {
  readonly limits: Limits
  steps: number
  bytes: number
  readsSecrets: boolean
  /** Steps left when others get their turn. */
  turnEnds: number
  /** What is known of values that were looked at: a value that is used a thousand times is walked once. */
  readonly measured: WeakMap<object, Measure>
}

export type Measure = {
  /** Written out, approximately as much as it takes in memory. */
  readonly bytes: number
  readonly depth: number
  readonly isCall: boolean
  /** Whether it is or holds one. */
  readonly holdsCall: boolean
}

export const STEPS_OF_CALL = 10

/** Steps after which others get their turn: some milliseconds. */
export const TURN = 2_000

export function newBudget(limits: Limits = READ_LIMITS): Budget {
  return { limits, ...limits, readsSecrets: false, turnEnds: limits.steps - TURN, measured: new WeakMap() }
}

/** Thrown when an evaluation costs more than its limits allow. */
export class BudgetExceeded extends DslError {
  constructor(message: string) {
    super('EvaluationRecursionLimitReached', message)
  }
}

/** On whose behalf something is done: a function, or null for what stands around all functions. */
export type Spender = FunctionName | null

export function spendSteps(budget: Budget, name: Spender, steps: number): void {
  budget.steps -= steps
  if (budget.steps >= 0) return
  throw new BudgetExceeded(
    `${unable(name)}: the functions of one evaluation take more than ${budget.limits.steps} steps.`,
  )
}

export function spendBytes(budget: Budget, name: Spender, bytes: number): void {
  reserve(budget, name, bytes)
  budget.bytes -= bytes
}

/** Throws when a value of that size could not be paid for: called before the value is made. */
export function reserve(budget: Budget, name: Spender, bytes: number): void {
  if (bytes <= budget.bytes) return
  throw new BudgetExceeded(
    `${unable(name)}: the functions of one evaluation make more than ${budget.limits.bytes / MiB} MiB.`,
  )
}

/** Nesting of data, as runtime properties may have it; far below what a stack holds. */
export const MAX_DEPTH = 500

/** What one more item of a list weighs, whatever it is. */
export const ITEM_BYTES = 16

const PLAIN: Omit<Measure, 'bytes'> = { depth: 0, isCall: false, holdsCall: false }

/** Looks at a whole value, once for all its uses. */
export function measure(value: Json, budget: Budget, name: Spender): Measure {
  if (typeof value !== 'object' || value === null) return { ...PLAIN, bytes: scalarBytes(value) }
  return measureContainer(value, budget, name, 0)
}

function scalarBytes(value: Json): number {
  return typeof value === 'string' ? ITEM_BYTES + value.length : ITEM_BYTES
}

function measureContainer(value: object & Json, budget: Budget, name: Spender, level: number): Measure {
  const known = budget.measured.get(value)
  if (known !== undefined) return known
  if (level > MAX_DEPTH) throw tooDeep(name)
  let bytes = ITEM_BYTES
  let depth = 0
  const isCall = callOf(value) !== null
  let holdsCall = isCall
  let steps = 0
  const add = (inner: Json) => {
    steps += 1
    if (typeof inner !== 'object' || inner === null) {
      bytes += scalarBytes(inner)
      return
    }
    const part = measureContainer(inner, budget, name, level + 1)
    bytes += part.bytes
    depth = Math.max(depth, part.depth)
    holdsCall ||= part.holdsCall
  }
  if (isList(value)) for (const item of value) add(item)
  else {
    for (const [key, inner] of Object.entries(value)) {
      bytes += key.length
      add(inner as Json)
    }
  }
  if (depth >= MAX_DEPTH) throw tooDeep(name)
  spendSteps(budget, name, steps)
  const found = { bytes, depth: depth + 1, isCall, holdsCall }
  budget.measured.set(value, found)
  return found
}

export function tooDeep(name: Spender): BudgetExceeded {
  return new BudgetExceeded(`${unable(name)}: a value is nested more than ${MAX_DEPTH} deep.`)
}

function unable(name: Spender): string {
  return name === null ? 'Unable to evaluate functions' : `Unable to evaluate ${name} function`
}
