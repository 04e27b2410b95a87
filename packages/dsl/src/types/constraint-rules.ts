import { DslError } from '../diagnostic.ts'
import { pythonText } from '../functions/python-text.ts'
import { isList, isObject, type Json, type JsonObject, sameJson } from '../json.ts'
import type { InputSchema } from '../plan/plan.ts'
import { matchesFromStart, pythonRegex, RegexTooCostly, type StepBudget } from '../regex/match.ts'
import type { ObjectGetter } from './objects.ts'

export type ConstraintRequest = {
  readonly name: string
  readonly value: Json
  readonly schema: InputSchema
  /** The deployment in which objects are looked up; null while it is being created. */
  readonly deploymentId: string | null
  /** Without it objects are not looked up. */
  readonly objects?: ObjectGetter
  /** For patterns; shared by all values of one check. */
  readonly budget: StepBudget
}

/** The first plain test that a value does not pass. */
export function violation(
  { name, budget }: ConstraintRequest,
  type: string | null,
  value: Json,
  rules: readonly JsonObject[],
): DslError | null {
  for (const rule of rules) {
    const { operator, argument, message } = ruleParts(rule)
    const holds = TESTS[operator]
    if (holds === undefined) {
      return new DslError(
        'ConstraintException',
        `The constraint '${operator}' of ${name} does not apply to the type ${type ?? '(none)'}.`,
      )
    }
    try {
      if (holds(value, argument, budget)) continue
    } catch (error) {
      if (!(error instanceof RegexTooCostly)) throw error
      // With a message of its own it may be that its argument is not to be shown.
      const shown = message === null ? `${operator}(${pythonText(argument)})` : operator
      return new DslError(
        'ConstraintException',
        `The constraint ${shown} of ${name} takes too long to check: ${error.message}.`,
      )
    }
    return new DslError(
      'ConstraintException',
      message ??
        `Value ${pythonText(value)} of ${name} violates constraint ${operator}(${pythonText(argument)}).`,
    )
  }
  return null
}

export type RuleParts = {
  readonly operator: string
  readonly argument: Json
  readonly message: string | null
}

export function ruleParts(rule: JsonObject): RuleParts {
  const [operator = ''] = Object.keys(rule).filter((key) => key !== 'error_message')
  const message = rule.error_message
  return { operator, argument: rule[operator] ?? null, message: typeof message === 'string' ? message : null }
}

type Test = (value: Json, argument: Json, budget: StepBudget) => boolean

const TESTS: { readonly [operator: string]: Test | undefined } = {
  equal: sameJson,
  greater_than: numbers((value, argument) => value > argument),
  greater_or_equal: numbers((value, argument) => value >= argument),
  less_than: numbers((value, argument) => value < argument),
  less_or_equal: numbers((value, argument) => value <= argument),
  in_range: (value, argument) => {
    const [low, high] = isList(argument) ? argument : []
    return typeof value === 'number' && value >= Number(low) && value <= Number(high)
  },
  valid_values: isOneOf,
  length: sizes((size, argument) => size === argument),
  min_length: sizes((size, argument) => size >= argument),
  max_length: sizes((size, argument) => size <= argument),
  pattern: (value, argument, budget) => {
    const regex = typeof argument === 'string' ? pythonRegex(argument) : null
    return typeof value === 'string' && regex !== null && matchesFromStart(regex, value, budget)
  },
}

export function isOneOf(value: Json, argument: Json): boolean {
  return isList(argument) && argument.some((item) => sameJson(item, value))
}

function numbers(holds: (value: number, argument: number) => boolean): Test {
  return (value, argument) =>
    typeof value === 'number' && typeof argument === 'number' && holds(value, argument)
}

function sizes(holds: (size: number, argument: number) => boolean): Test {
  return (value, argument) => {
    const size =
      typeof value === 'string'
        ? [...value].length
        : isList(value)
          ? value.length
          : isObject(value)
            ? Object.keys(value).length
            : null
    return size !== null && typeof argument === 'number' && holds(size, argument)
  }
}
