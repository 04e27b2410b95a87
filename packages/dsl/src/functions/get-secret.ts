import { DslError } from '../diagnostic.ts'
import { isList, isObject, type Json } from '../json.ts'
import { spendBytes } from './budget.ts'
import { type Call, isCall } from './call.ts'
import { evaluationError, type FunctionDefinition, shortText, validationError } from './definition.ts'
import { followPath } from './walk.ts'

/** Thrown when a secret is not there; outputs leave such entries out. */
export class UnknownSecret extends DslError {
  constructor(keys: readonly string[]) {
    super('UnknownSecretError', `Required secrets: [${keys.join(', ')}] don't exist in this tenant`)
  }
}

/** `get_secret: KEY` or `[KEY, key or index, …]` (docs/reference/language/functions.md, "The functions") */
export const getSecret: FunctionDefinition = {
  check(call) {
    const { argument } = call
    if (typeof argument === 'string' || isCall(argument)) return
    if (isList(argument) && argument.length >= 2) return
    throw validationError(
      call,
      `expected a key, a function, or a list of at least 2 elements, but got ${shortText(argument)}.`,
    )
  },
  async run(call, { storage, budget }) {
    const [key, ...path] = isList(call.argument) ? call.argument : [call.argument]
    const value = typeof key === 'string' ? await storage.secret(key) : undefined
    if (value === undefined) throw new UnknownSecret([String(key)])
    if (path.length === 0) return value
    spendBytes(budget, call.name, value.length)
    const found = followPath(parsed(call, value), path)
    if ('problem' in found) throw evaluationError(call, `secret '${String(key)}': ${found.problem}`)
    return found.value
  },
}

function parsed(call: Call, value: string): Json {
  try {
    return JSON.parse(value) as Json
  } catch (error) {
    if (!(error instanceof SyntaxError)) throw error
    throw evaluationError(call, 'the secret is not JSON, so there is nothing inside it to get.')
  }
}

/** The secret's name where it is literal. */
export function secretName(argument: Json): string | null {
  const key = isList(argument) ? argument[0] : argument
  if (typeof key === 'string') return key
  return key === undefined || isObject(key) ? null : String(key)
}
