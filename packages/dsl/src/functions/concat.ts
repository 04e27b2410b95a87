import { isList, isObject, type Json, type JsonList, put } from '../json.ts'
import { type Call, isCall } from './call.ts'
import { argumentError, evaluationError, type FunctionDefinition, shortText } from './definition.ts'
import { pythonText } from './python-text.ts'

/**
 * `concat: [part, …]`: texts joined, other values in Python's text form (docs/reference/language/functions.md, "The
 * functions")
 */
export const concat: FunctionDefinition = pure(
  (call) => partsOf(call),
  (call) => partsOf(call).map(pythonText).join(''),
)

/** `merge: [dict, …]`: shallow, later wins (docs/reference/language/functions.md, "The functions") */
export const merge: FunctionDefinition = pure(
  (call) => {
    for (const part of partsOf(call)) {
      if (!isObject(part)) throw argumentError(call, `expected dicts but got ${shortText(part)}.`)
    }
  },
  (call) => {
    const merged: { [key: string]: Json } = {}
    for (const part of partsOf(call)) {
      if (!isObject(part)) throw evaluationError(call, `expected dicts but got ${shortText(part)}.`)
      for (const [key, value] of Object.entries(part)) put(merged, key, value)
    }
    return merged
  },
)

function partsOf(call: Call): JsonList {
  if (isList(call.argument)) return call.argument
  throw argumentError(call, `expected [argument, …] but got ${shortText(call.argument)}.`)
}

/** A function of its arguments alone, which waits while one of them is a function. */
function pure(check: (call: Call) => void, value: (call: Call) => Json): FunctionDefinition {
  return {
    check: (call) => {
      if (!isCall(call.argument)) check(call)
    },
    create: { waits: true, value },
    run: async (call) => value(call),
  }
}
