import { DslError } from '../diagnostic.ts'
import { isList, type Json } from '../json.ts'
import { measure } from './budget.ts'
import { type Call, isCall } from './call.ts'
import { argumentError, type CheckScope, evaluationError, type FunctionDefinition } from './definition.ts'
import { keywordOrNode, nodeOfKeyword } from './keyword.ts'
import { followPath } from './walk.ts'

/** `get_property: [NODE, property, key or index, …]` (docs/reference/language/functions.md, "The functions") */
export const getProperty: FunctionDefinition = {
  check(call, scope) {
    const [, ...path] = pathOf(call)
    if (pathOf(call).some(isCall)) return
    const node = scopedNode(call, scope)
    const properties = scope.nodeProperties(node)
    if (properties === null) throw unknownNode(call, node)
    // What stands behind a function is known only when a deployment is created.
    let unknown = false
    const found = followPath(properties, path, (value) => {
      if (isCall(value)) unknown = true
      return value
    })
    if ('problem' in found && !unknown) throw missing(call, node, path, scope.path)
  },
  create: {
    waits: false,
    value(call, scope) {
      const [, ...path] = pathOf(call)
      const node = scopedNode(call, scope)
      if (scope.nodeProperties(node) === null) throw unknownNode(call, node)
      return scope.property(node, path)
    },
  },
  async run(call, { budget, context, storage, evaluateIn }) {
    const [, ...path] = pathOf(call)
    const node = await nodeOfKeyword(call, context, storage)
    const stored = await storage.node(node)
    if (stored === null) throw unknownNode(call, node)
    let at: Json = stored.properties
    for (const [index, key] of path.entries()) {
      const found = followPath(at, [key])
      if ('problem' in found) throw missing(call, node, path, path.slice(0, index + 1).join('.'))
      at = measure(found.value, budget, call.name).isCall
        ? await evaluateIn(found.value, await selfOf(storage, node), storage)
        : found.value
    }
    return evaluateIn(at, await selfOf(storage, node), storage)
  },
}

/** SELF within a node's property means that node: any of its instances will do. */
async function selfOf(
  storage: Parameters<typeof nodeOfKeyword>[2],
  node: string,
): Promise<{ readonly self?: string }> {
  const [instance] = await storage.nodeInstancesOf(node)
  return instance === undefined ? {} : { self: instance.id }
}

function pathOf(call: Call): readonly Json[] {
  if (isList(call.argument) && call.argument.length >= 2) return call.argument
  throw argumentError(call, 'expected [NODE, property, …] with at least two elements.')
}

function scopedNode(call: Call, { scope, path }: CheckScope): string {
  const [name] = pathOf(call)
  return keywordOrNode(call, String(name), scope, path)
}

function unknownNode(call: Call, node: string): DslError {
  return new DslError('KeyError', `${call.name} function node reference '${node}' does not exist.`)
}

function missing(call: Call, node: string, path: readonly Json[], from: string): DslError {
  return evaluationError(
    call,
    `Node template property '${node}.properties.${path.join('.')}' referenced from '${from}' doesn't exist.`,
  )
}
