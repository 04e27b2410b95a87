import { isList, type Json } from '../json.ts'
import { type Call, isCall } from './call.ts'
import { evaluationError, type FunctionDefinition, validationError } from './definition.ts'

/** `string_find: [text, part]`: index or -1 */
export const stringFind = stringFunction(2, 2, (_call, [text, part]) => String(text).indexOf(String(part)))

/** `string_replace: [text, old, new]` or with a count */
export const stringReplace = stringFunction(3, 4, (_call, [text, old, by, count]) => {
  const limit = typeof count === 'number' && count >= 0 ? count : Number.POSITIVE_INFINITY
  return replaceSome(String(text), String(old), String(by), limit)
})

/** `string_split: [text, separator]` or with an index */
export const stringSplit = stringFunction(2, 3, (call, [text, separator, index]) => {
  if (separator === '') throw evaluationError(call, 'the separator is empty.')
  const parts = String(text).split(String(separator))
  if (index === undefined) return parts
  const at = Number(index)
  const part = parts[at < 0 ? parts.length + at : at]
  if (part === undefined)
    throw evaluationError(call, `there are ${parts.length} parts but part ${at} is wanted.`)
  return part
})

/** `string_lower: text` */
export const stringLower = stringFunction(1, 1, (_call, [text]) => String(text).toLowerCase())

/** `string_upper: text` */
export const stringUpper = stringFunction(1, 1, (_call, [text]) => String(text).toUpperCase())

/** As Python: an empty `old` stands before every character and at the end. */
function replaceSome(text: string, old: string, by: string, limit: number): string {
  const parts = old === '' ? ['', ...text, ''] : text.split(old)
  const replaced = Math.min(limit, parts.length - 1)
  return parts.map((part, index) => (index === 0 ? part : `${index <= replaced ? by : old}${part}`)).join('')
}

function stringFunction(
  least: number,
  most: number,
  value: (call: Call, parameters: readonly Json[]) => Json,
): FunctionDefinition {
  const wanted = least === most ? `exactly ${least}` : `${least} or ${most}`
  const complaint = (call: Call): string | null => {
    const parameters = parametersOf(call, most)
    if (parameters === null || parameters.length < least || parameters.length > most) {
      return `should be called with ${wanted} parameter${most === 1 ? '' : 's'}`
    }
    const wrong = parameters.findIndex(
      (parameter, index) => !isCall(parameter) && !fits(parameter, index, least),
    )
    return wrong === -1 ? null : `parameter ${wrong + 1} is ${JSON.stringify(parameters[wrong])}`
  }
  const evaluate = (call: Call): Json => {
    const problem = complaint(call)
    if (problem !== null) throw evaluationError(call, problem)
    return value(call, parametersOf(call, most) ?? [])
  }
  return {
    check(call) {
      const problem = complaint(call)
      if (problem !== null) throw validationError(call, problem)
    },
    create: { waits: false, value: evaluate },
    run: async (call) => evaluate(call),
  }
}

/** The first `least` are texts; a further one is a count or an index. */
function fits(parameter: Json, index: number, least: number): boolean {
  return index < least ? typeof parameter === 'string' : Number.isInteger(parameter)
}

function parametersOf(call: Call, most: number): readonly Json[] | null {
  if (isList(call.argument)) return call.argument
  return most === 1 ? [call.argument] : null
}
