import { isCall } from './call.ts'
import { argumentError, type FunctionDefinition, shortText } from './definition.ts'

/** `get_consumers: ids`, `names` or `count` (docs/reference/language/functions.md, "The functions") */
export const getConsumers: FunctionDefinition = {
  check(call) {
    const { argument } = call
    if (isCall(argument) || argument === 'ids' || argument === 'names' || argument === 'count') return
    throw argumentError(call, `expected ids, names or count but got ${shortText(argument)}.`)
  },
  async run(call, { storage }) {
    const consumers = await storage.consumers()
    switch (call.argument) {
      case 'ids':
        return consumers.map(({ id }) => id)
      case 'names':
        return consumers.map(({ displayName }) => displayName)
      case 'count':
        return consumers.length
      default:
        throw argumentError(call, `expected ids, names or count but got ${shortText(call.argument)}.`)
    }
  },
}
