import { DslError } from '../diagnostic.ts'
import { isObject, type Json, type JsonObject, member } from '../json.ts'
import type { YamlNode } from '../yaml/node.ts'
import { calledFunction, type FunctionName } from './names.ts'

/** A function call found in data. */
export type Call = {
  readonly name: FunctionName
  readonly argument: Json
  /** The declared type beside the function, if any (`get_input` checks it). */
  readonly type: string | null
  readonly written: JsonObject
}

export function callOf(value: Json | undefined): Call | null {
  if (!isObject(value)) return null
  const keys = Object.keys(value)
  if (keys.length === 0 || keys.length > 2) return null
  const name = calledFunction(keys)
  if (name === null) return null
  const type = member(value, 'type')
  return { name, argument: value[name] ?? null, type: typeof type === 'string' ? type : null, written: value }
}

export function isCall(value: Json | undefined): boolean {
  return callOf(value) !== null
}

/** Nesting of data, as runtime properties may have it; far below what a stack holds. */
const MAX_DEPTH = 500

/** Whether a value is or holds a function call. */
export function holdsCall(value: Json, depth = 0): boolean {
  if (typeof value !== 'object' || value === null) return false
  if (depth > MAX_DEPTH) {
    throw new DslError('EvaluationRecursionLimitReached', `A value is nested more than ${MAX_DEPTH} deep.`)
  }
  if (isCall(value)) return true
  return (Array.isArray(value) ? value : Object.values(value)).some((inner) => holdsCall(inner, depth + 1))
}

export function calledInNode(node: YamlNode): FunctionName | null {
  return node.kind === 'map' ? calledFunction([...node.entries.keys()]) : null
}

export function isCallNode(node: YamlNode): boolean {
  return calledInNode(node) !== null
}
