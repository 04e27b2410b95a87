import { isList, type Json } from '../json.ts'
import { type Budget, ITEM_BYTES, reserve } from './budget.ts'
import { type Call, isCall } from './call.ts'
import { evaluationError, type FunctionDefinition, shortText, validationError } from './definition.ts'
import { placesOf } from './find-text.ts'

/** `string_find: [text, part]`: index or -1 */
export const stringFind = stringFunction(
  2,
  2,
  (_call, [text, part]) => placesOf(String(part), String(text), 1)[0] ?? -1,
)

/** `string_replace: [text, old, new]` or with a count */
export const stringReplace = stringFunction(3, 4, (call, [text, old, by, count], budget) => {
  const limit = typeof count === 'number' && count >= 0 ? count : Number.POSITIVE_INFINITY
  return replaceSome(call, { text: String(text), old: String(old), by: String(by), limit }, budget)
})

/** `string_split: [text, separator]` or with an index */
export const stringSplit = stringFunction(2, 3, (call, [text, separator, index], budget) => {
  if (separator === '') throw evaluationError(call, 'the separator is empty.')
  const parts = split(call, String(text), String(separator), budget)
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

type Replacement = {
  readonly text: string
  readonly old: string
  readonly by: string
  readonly limit: number
}

/** As Python: an empty `old` stands before every character and at the end. */
function replaceSome(call: Call, { text, old, by, limit }: Replacement, budget: Budget): string {
  const parts = old === '' ? ['', ...characters(call, text, budget), ''] : split(call, text, old, budget)
  const replaced = Math.min(limit, parts.length - 1)
  reserve(budget, call.name, text.length + replaced * by.length)
  return parts.map((part, index) => (index === 0 ? part : `${index <= replaced ? by : old}${part}`)).join('')
}

function split(call: Call, text: string, separator: string, budget: Budget): string[] {
  const most = Math.floor(budget.bytes / ITEM_BYTES) + 1
  const places = placesOf(separator, text, most)
  reserve(budget, call.name, text.length + places.length * ITEM_BYTES)
  let from = 0
  const parts = places.map((place) => {
    const part = text.slice(from, place)
    from = place + separator.length
    return part
  })
  parts.push(text.slice(from))
  return parts
}

function characters(call: Call, text: string, budget: Budget): Iterable<string> {
  reserve(budget, call.name, text.length * ITEM_BYTES)
  return text
}

function stringFunction(
  least: number,
  most: number,
  value: (call: Call, parameters: readonly Json[], budget: Budget) => Json,
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
    return wrong === -1 ? null : `parameter ${wrong + 1} is ${shortText(parameters[wrong] ?? null)}`
  }
  const evaluate = (call: Call, { budget }: { readonly budget: Budget }): Json => {
    const problem = complaint(call)
    if (problem !== null) throw evaluationError(call, problem)
    return value(call, parametersOf(call, most) ?? [], budget)
  }
  return {
    check(call) {
      const problem = complaint(call)
      if (problem !== null) throw validationError(call, problem)
    },
    create: { waits: false, value: evaluate },
    run: async (call, scope) => evaluate(call, scope),
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
