import { DslError } from '../diagnostic.ts'
import { isList, type Json } from '../json.ts'
import { misfitJson } from '../types/check-json.ts'
import { type Call, isCall } from './call.ts'
import { argumentError, type FunctionDefinition, shortText } from './definition.ts'
import { followPath } from './walk.ts'

/** `get_input: NAME` or `[NAME, key or index, …]` (docs/reference/language/functions.md, "The functions") */
export const getInput: FunctionDefinition = {
  check(call, scope) {
    const [name] = pathOf(call)
    if (name === undefined) throw argumentError(call, 'expected a name, or a list that begins with one.')
    if (isCall(name)) return
    if (typeof name !== 'string') throw argumentError(call, `expected a name but got ${shortText(name)}.`)
    if (scope.hasInput(name)) return
    throw new DslError('UnknownInputError', `get_input function references an unknown input '${name}'.`)
  },
  create: { waits: false, value: (call, scope) => inputValue(call, scope.input) },
  async run(call, { storage, evaluate }) {
    const [name] = pathOf(call)
    const value = typeof name === 'string' ? await storage.input(name) : undefined
    const evaluated = value === undefined ? undefined : await evaluate(value)
    return inputValue(call, () => evaluated)
  },
}

function pathOf(call: Call): readonly Json[] {
  return isList(call.argument) ? call.argument : [call.argument]
}

function inputValue(call: Call, input: (name: string) => Json | undefined): Json {
  const [name, ...path] = pathOf(call)
  const value = typeof name === 'string' ? input(name) : undefined
  if (value === undefined) {
    throw new DslError(
      'UnknownInputError',
      `get_input function references an unknown input '${String(name)}'.`,
    )
  }
  const found = followPath(value, path)
  if ('problem' in found) {
    throw new DslError('InputEvaluationError', `get_input [${[name, ...path].join(', ')}]: ${found.problem}`)
  }
  if (call.type !== null && misfitJson(found.value, call.type) !== null) {
    throw new DslError(
      'InputEvaluationError',
      `get_input [${[name, ...path].join(', ')}]: the value is not of type ${call.type}.`,
    )
  }
  return found.value
}
