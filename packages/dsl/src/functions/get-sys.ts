import { DslError } from '../diagnostic.ts'
import { isList } from '../json.ts'
import type { SystemFact } from '../runtime/storage.ts'
import { type Call, isCall } from './call.ts'
import { argumentError, evaluationError, type FunctionDefinition, shortText } from './definition.ts'

const FACTS: { readonly [entity: string]: readonly string[] } = {
  tenant: ['name'],
  deployment: ['id', 'name', 'blueprint', 'owner'],
}

/** `get_sys: [ENTITY, PROPERTY]` (docs/reference/language/functions.md, "The functions") */
export const getSys: FunctionDefinition = {
  check(call) {
    const { argument } = call
    if (!isList(argument) || argument.length !== 2) {
      throw argumentError(call, `expected [ENTITY, PROPERTY] but got ${shortText(argument)}.`)
    }
    const [entity, property] = argument
    if (isCall(entity)) return
    const properties = propertiesOf(String(entity))
    if (!isCall(property) && !properties.includes(String(property)))
      throw unknownProperty(String(entity), String(property))
  },
  async run(call, { storage }) {
    const fact = factOf(call)
    const value = await storage.system(fact)
    if (value === null) throw evaluationError(call, `there is no ${fact} here.`)
    return value
  },
}

function factOf(call: Call): SystemFact {
  const [entity, property] = isList(call.argument) ? call.argument : []
  if (!propertiesOf(String(entity)).includes(String(property)))
    throw unknownProperty(String(entity), String(property))
  return `${String(entity)}.${String(property)}` as SystemFact
}

function propertiesOf(entity: string): readonly string[] {
  const properties = Object.hasOwn(FACTS, entity) ? FACTS[entity] : undefined
  if (properties !== undefined) return properties
  throw new DslError('UnknownSysEntityError', `get_sys function unable to determine entity: ${entity}`)
}

function unknownProperty(entity: string, property: string): DslError {
  return new DslError(
    'UnknownSysPropertyError',
    `get_sys function unable to determine property '${property}' of entity '${entity}'`,
  )
}
