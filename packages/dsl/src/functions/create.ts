import { DslError } from '../diagnostic.ts'
import { isList, isObject, type Json, type JsonList, type JsonObject, mapValues } from '../json.ts'
import {
  type Budget,
  MAX_DEPTH,
  measure,
  type Spender,
  STEPS_OF_CALL,
  spendBytes,
  spendSteps,
  tooDeep,
} from './budget.ts'
import { type Call, callOf, holdsCall } from './call.ts'
import { MAX_NESTING } from './check.ts'
import { type CreationScope, evaluationError, shortText } from './definition.ts'
import type { Scope } from './places.ts'
import { FUNCTIONS } from './table.ts'

export type CreationRequest = {
  readonly inputs: { readonly [name: string]: Json }
  /** Properties as declared, by node. */
  readonly properties: ReadonlyMap<string, { readonly [name: string]: Json }>
  readonly budget: Budget
}

export type Creation = (value: Json, path: string, scope: Scope) => Json

/**
 * Evaluates the functions that need no run time (docs/reference/language/functions.md, "At creation"). Throws
 * `DslError`.
 */
export function creationOf(request: CreationRequest): Creation {
  const evaluated = new Map<string, Json>()
  const underway: string[] = []
  const { budget } = request
  /** The function that is being evaluated, and how deep the stack is. */
  let spender: Spender = null
  let level = 0
  const known = (value: Json) => measure(value, budget, spender)

  function evaluate(value: Json, path: string, scope: Scope, depth: number): Json {
    spendSteps(budget, spender, 1)
    if (typeof value !== 'object' || value === null) return value
    if (depth > MAX_NESTING) throw limitReached(path)
    if (level >= MAX_DEPTH) throw tooDeep(spender)
    level += 1
    const result = inside(value, path, scope, depth)
    level -= 1
    return result
  }

  function inside(value: JsonList | JsonObject, path: string, scope: Scope, depth: number): Json {
    if (isList(value)) return value.map((item, index) => evaluate(item, `${path}[${index}]`, scope, depth))
    const call = callOf(value)
    if (call === null)
      return mapValues(value, (inner, key) => evaluate(inner, `${path}.${key}`, scope, depth))
    const outer = spender
    spender = call.name
    const result = evaluateCall(call, path, scope, depth)
    spendBytes(budget, spender, known(result).bytes)
    spender = outer
    return result
  }

  function evaluateCall(call: Call, path: string, scope: Scope, depth: number): Json {
    spendSteps(budget, call.name, STEPS_OF_CALL)
    const argument = evaluate(call.argument, path, scope, depth + 1)
    const ready: Call = { ...call, argument, written: { ...call.written, [call.name]: argument } }
    const { create } = FUNCTIONS[call.name]
    if (create === undefined) return ready.written
    if (isUnresolved(argument, create.waits)) {
      if (create.waits) return ready.written
      throw evaluationError(call, `found an unresolved argument: ${shortText(argument)}.`)
    }
    spendBytes(budget, call.name, known(argument).bytes)
    const result = create.value(ready, scopeAt(path, scope, depth))
    // An input's value may be a function in its turn.
    return known(result).isCall || call.name === 'get_input'
      ? again(result, ready, path, scope, depth)
      : result
  }

  function isUnresolved(argument: Json, waits: boolean): boolean {
    if (known(argument).isCall) return true
    if (!isList(argument)) return false
    return argument.some((item) => known(item).isCall || (waits && isList(item) && known(item).holdsCall))
  }

  function again(result: Json, call: Call, path: string, scope: Scope, depth: number): Json {
    return known(result).holdsCall && result !== call.written
      ? evaluate(result, path, scope, depth + 1)
      : result
  }

  function scopeAt(path: string, scope: Scope, depth: number): CreationScope {
    return {
      path,
      scope,
      budget,
      hasInput: (name) => Object.hasOwn(request.inputs, name),
      nodeProperties: (node) => request.properties.get(node) ?? null,
      input: (name) => (Object.hasOwn(request.inputs, name) ? request.inputs[name] : undefined),
      property: (node, keys) => property(node, keys, path, depth + 1),
    }
  }

  /** Steps into a node's properties; what is a function on the way is evaluated in that node's own scope. */
  function property(node: string, keys: readonly Json[], from: string, depth: number): Json {
    let at: Json = request.properties.get(node) ?? {}
    const own: Scope = { kind: 'node', node }
    const walked: string[] = []
    for (const key of keys) {
      const container = known(at).isCall ? once(at, node, walked, own, depth) : at
      if (known(container).isCall) {
        throw new DslError(
          'FunctionEvaluationError',
          `Unable to evaluate get_property function: '${node}.properties.${walked.join('.')}' is known only at run time, so '${String(key)}' in it cannot be got (from ${from}).`,
        )
      }
      const inner = stepInto(container, key)
      walked.push(String(key))
      if (inner === undefined) {
        throw new DslError(
          'FunctionEvaluationError',
          `Unable to evaluate get_property function: Node template property '${node}.properties.${keys.join('.')}' referenced from '${from}' doesn't exist.`,
        )
      }
      at = inner
    }
    return known(at).holdsCall ? once(at, node, walked, own, depth) : at
  }

  /** Each property is evaluated once, and never while it is being evaluated. */
  function once(value: Json, node: string, walked: readonly string[], scope: Scope, depth: number): Json {
    const path = `nodes.${node}.properties.${walked.join('.')}`
    const before = evaluated.get(path)
    if (before !== undefined) return before
    if (underway.includes(path)) throw limitReached(`${[...underway, path].join(' --> ')}`)
    underway.push(path)
    const result = evaluate(value, path, scope, depth)
    underway.pop()
    evaluated.set(path, result)
    return result
  }

  return (value, path, scope) => {
    if (!holdsCall(value)) return value
    return evaluate(value, path, scope, 0)
  }
}

function stepInto(value: Json, key: Json): Json | undefined {
  if (isList(value)) {
    const index = Number(key)
    return Number.isInteger(index) ? value[index < 0 ? value.length + index : index] : undefined
  }
  return isObject(value) && Object.hasOwn(value, String(key)) ? value[String(key)] : undefined
}

function limitReached(path: string): DslError {
  return new DslError(
    'EvaluationRecursionLimitReached',
    `Functions refer to each other in a circle, or are nested too deeply: ${path}.`,
  )
}
