import { DslError } from '../diagnostic.ts'
import { isList, isObject, type Json, mapValues } from '../json.ts'
import { type Sizes, sizeOf } from '../size.ts'
import { type Call, callOf, holdsCall, isCall } from './call.ts'
import { MAX_NESTING } from './check.ts'
import { type CreationScope, evaluationError } from './definition.ts'
import type { Scope } from './places.ts'
import { FUNCTIONS } from './table.ts'

/** Evaluated values of one creation. Far more than any blueprint has, and stops those that multiply. */
const MOST_EVALUATIONS = 2_000_000

/** Values of one property, written out; properties that refer to each other can multiply. */
const MOST_VALUES = 1_000_000

export interface CreationRequest {
  readonly inputs: { readonly [name: string]: Json }
  /** Properties as declared, by node. */
  readonly properties: ReadonlyMap<string, { readonly [name: string]: Json }>
}

export type Creation = (value: Json, path: string, scope: Scope) => Json

/** Evaluates the functions that need no run time (dsl.md 15.4). Throws `DslError`. */
export function creationOf(request: CreationRequest): Creation {
  const evaluated = new Map<string, Json>()
  const underway: string[] = []
  const sizes: Sizes = new Map()
  let evaluations = 0

  function evaluate(value: Json, path: string, scope: Scope, depth: number): Json {
    evaluations += 1
    if (depth > MAX_NESTING || evaluations > MOST_EVALUATIONS) throw limitReached(path)
    if (isList(value)) return value.map((item, index) => evaluate(item, `${path}[${index}]`, scope, depth))
    if (!isObject(value)) return value
    const call = callOf(value)
    if (call === null)
      return mapValues(value, (inner, key) => evaluate(inner, `${path}.${key}`, scope, depth))
    return evaluateCall(call, path, scope, depth)
  }

  function evaluateCall(call: Call, path: string, scope: Scope, depth: number): Json {
    const argument = evaluate(call.argument, path, scope, depth + 1)
    const ready: Call = { ...call, argument, written: { ...call.written, [call.name]: argument } }
    const { create } = FUNCTIONS[call.name]
    if (create === undefined) return ready.written
    if (isUnresolved(argument, create.waits)) {
      if (create.waits) return ready.written
      throw evaluationError(call, `found an unresolved argument: ${JSON.stringify(argument)}.`)
    }
    const result = create.value(ready, scopeAt(path, scope, depth))
    // An input's value may be a function in its turn.
    return isCall(result) || call.name === 'get_input' ? again(result, ready, path, scope, depth) : result
  }

  function again(result: Json, call: Call, path: string, scope: Scope, depth: number): Json {
    return holdsCall(result) && result !== call.written ? evaluate(result, path, scope, depth + 1) : result
  }

  function scopeAt(path: string, scope: Scope, depth: number): CreationScope {
    return {
      path,
      scope,
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
      const container = isCall(at) ? once(at, node, walked, own, depth) : at
      if (isCall(container)) {
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
    return holdsCall(at) ? once(at, node, walked, own, depth) : at
  }

  /** Each property is evaluated once, and never while it is being evaluated. */
  function once(value: Json, node: string, walked: readonly string[], scope: Scope, depth: number): Json {
    const path = `nodes.${node}.properties.${walked.join('.')}`
    const known = evaluated.get(path)
    if (known !== undefined) return known
    if (underway.includes(path)) throw limitReached(`${[...underway, path].join(' --> ')}`)
    underway.push(path)
    const result = evaluate(value, path, scope, depth)
    underway.pop()
    if (sizeOf(result, sizes) > MOST_VALUES) throw limitReached(`${path} (too large when written out)`)
    evaluated.set(path, result)
    return result
  }

  return (value, path, scope) => {
    if (!holdsCall(value)) return value
    return evaluate(value, path, scope, 0)
  }
}

function isUnresolved(argument: Json, waits: boolean): boolean {
  if (isCall(argument)) return true
  if (!isList(argument)) return false
  return argument.some((item) => isCall(item) || (waits && isList(item) && holdsCall(item)))
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
