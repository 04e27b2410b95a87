import { isList } from '../json.ts'
import { type Call, isCall } from './call.ts'
import { evaluationError, type FunctionDefinition, shortText, validationError } from './definition.ts'
import { listIndex } from './walk.ts'

/** `get_label: KEY` or `[KEY, INDEX]` (docs/reference/language/functions.md, "The functions") */
export const getLabel: FunctionDefinition = {
  check(call) {
    const { argument } = call
    if (typeof argument === 'string' || isCall(argument)) return
    if (!isList(argument) || argument.length !== 2) throw shape(call, 'a key, a function, or [key, index]')
    const [key, index] = argument
    if (typeof key !== 'string' && !isCall(key)) throw shape(call, 'the key to be a string or a function')
    if (!isCall(index) && listIndex(index ?? null) === null) throw shape(call, 'the index to be a number')
  },
  async run(call, { storage }) {
    const [key, index] = isList(call.argument) ? call.argument : [call.argument]
    const values = await storage.labelValues(String(key))
    if (values.length === 0) throw evaluationError(call, `the deployment has no label '${String(key)}'.`)
    if (index === undefined) return values
    const value = values[listIndex(index) ?? -1]
    if (value !== undefined) return value
    throw evaluationError(
      call,
      `the label '${String(key)}' has ${values.length} values but no index ${String(index)}.`,
    )
  },
}

function shape(call: Call, expected: string): ReturnType<typeof validationError> {
  return validationError(call, `expected ${expected}, but got ${shortText(call.argument)}.`)
}
