import { DslError } from '../diagnostic.ts'
import { isObject, type Json } from '../json.ts'
import type { EvaluationContext, EvaluationStorage } from '../runtime/storage.ts'
import type { Budget } from './budget.ts'
import type { Call } from './call.ts'
import type { Scope } from './places.ts'

/** What a check at upload may look at (docs/reference/language/functions.md, "The functions", phase P). */
export type CheckScope = {
  readonly path: string
  readonly scope: Scope
  readonly hasInput: (name: string) => boolean
  /** Properties of a node, or null when there is no such node. */
  readonly nodeProperties: (node: string) => { readonly [name: string]: Json } | null
}

/** Evaluation when a deployment is created (phase C). */
export interface CreationScope extends CheckScope {
  readonly budget: Budget
  readonly input: (name: string) => Json | undefined
  /** A property of a node, its functions evaluated in that node's own scope. */
  readonly property: (node: string, path: readonly Json[]) => Json
}

/** Evaluation on each use (phase R). */
export type RunScope = {
  readonly context: EvaluationContext
  readonly storage: EvaluationStorage
  readonly budget: Budget
  /** Evaluates further functions in this scope. */
  readonly evaluate: (value: Json) => Promise<Json>
  /** The same for another scope or deployment. */
  readonly evaluateIn: (value: Json, context: EvaluationContext, storage: EvaluationStorage) => Promise<Json>
}

/** One function of the language: everything about it stands in one place. */
export type FunctionDefinition = {
  /** Throws what is wrong with the argument's shape and scope. */
  readonly check: (call: Call, scope: CheckScope) => void
  /**
   * The value when a deployment is created, its arguments being evaluated already. Absent: only at run time.
   * `waits`: stays as it is while an argument is still a function; otherwise that is an error.
   */
  readonly create?: { readonly waits: boolean; readonly value: (call: Call, scope: CreationScope) => Json }
  /** The value at run time, the arguments being evaluated already. */
  readonly run: (call: Call, scope: RunScope) => Promise<Json>
}

/** Characters of a value that a message shows. */
const SHOWN = 200

/** A value as messages show it: the beginning of its JSON, as values may be large. */
export function shortText(value: Json): string {
  let text = ''
  const write = (part: Json): void => {
    if (text.length > SHOWN) return
    if (typeof part === 'string') text += JSON.stringify(part.slice(0, SHOWN))
    else if (typeof part !== 'object' || part === null) text += String(part)
    else {
      const isDict = isObject(part)
      text += isDict ? '{' : '['
      for (const [index, [key, inner]] of Object.entries(part).entries()) {
        if (text.length > SHOWN) return
        if (index > 0) text += ','
        if (isDict) text += `${JSON.stringify(key.slice(0, SHOWN))}:`
        write(inner)
      }
      text += isDict ? '}' : ']'
    }
  }
  write(value)
  return text.length > SHOWN ? `${text.slice(0, SHOWN)}…` : text
}

export function evaluationError(call: Call, message: string): DslError {
  return new DslError('FunctionEvaluationError', `Unable to evaluate ${call.name} function: ${message}`)
}

export function validationError(call: Call, message: string): DslError {
  return new DslError('FunctionValidationError', `Unable to validate ${call.name} function: ${message}`)
}

export function argumentError(call: Call, message: string): DslError {
  return new DslError('ValueError', `Illegal arguments passed to ${call.name} function: ${message}`)
}
