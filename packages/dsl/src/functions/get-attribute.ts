import { DslError } from '../diagnostic.ts'
import { isList, isObject, type Json, member, put } from '../json.ts'
import type { EvaluationStorage, StoredNodeInstance } from '../runtime/storage.ts'
import { ITEM_BYTES, measure, reserve, spendSteps } from './budget.ts'
import { type Call, isCall } from './call.ts'
import {
  argumentError,
  type CheckScope,
  evaluationError,
  type FunctionDefinition,
  type RunScope,
  shortText,
} from './definition.ts'
import { asKeyword, instanceOfKeyword, nodeOfKeyword } from './keyword.ts'
import { pickInstance } from './pick-instance.ts'
import { listIndex } from './walk.ts'

/**
 * `get_attribute: [NODE, attribute, key or index, …]` (docs/reference/language/functions.md, "The functions" and "At
 * run time")
 */
export const getAttribute: FunctionDefinition = {
  check: checkAttribute,
  async run(call, scope) {
    const [, ...path] = attributePath(call)
    return attributeOf(call, await chosenInstance(call, scope), path, scope)
  },
}

/** `get_attributes_list`: the attribute of every instance, null where it is absent. */
export const getAttributesList: FunctionDefinition = {
  check: checkAttribute,
  async run(call, scope) {
    const [, ...path] = attributePath(call)
    const node = await nodeOfKeyword(call, scope.context, scope.storage)
    const values: Json[] = []
    for (const instance of await scope.storage.nodeInstancesOf(node)) {
      reserve(scope.budget, call.name, (values.length + 1) * ITEM_BYTES)
      values.push(await attributeOf(call, instance, path, scope))
    }
    return values
  },
}

/** `get_attributes_dict: [NODE, attribute or [attribute, key, …], …]`: by instance, by dotted path. */
export const getAttributesDict: FunctionDefinition = {
  check: checkAttribute,
  async run(call, scope) {
    const [, ...attributes] = attributePath(call)
    const paths = attributes.map((attribute) => (isList(attribute) ? attribute : [attribute]))
    const names = paths.map((path) => path.join('.'))
    if (new Set(names).size < names.length) {
      throw evaluationError(call, `two of the paths ${names.join(', ')} have the same name.`)
    }
    const node = await nodeOfKeyword(call, scope.context, scope.storage)
    const result: { [id: string]: Json } = {}
    let made = 0
    for (const instance of await scope.storage.nodeInstancesOf(node)) {
      const values: { [name: string]: Json } = {}
      for (const [index, path] of paths.entries()) {
        made += ITEM_BYTES
        reserve(scope.budget, call.name, made)
        put(values, names[index] ?? '', await attributeOf(call, instance, path, scope))
      }
      put(result, instance.id, values)
    }
    return result
  },
}

function attributePath(call: Call): readonly Json[] {
  if (isList(call.argument) && call.argument.length >= 2) return call.argument
  throw argumentError(call, 'expected [NODE, attribute, …] with at least two elements.')
}

function checkAttribute(call: Call, { scope, path, nodeProperties }: CheckScope): void {
  const [name] = attributePath(call)
  if (name === undefined || isCall(name)) return
  const keyword = asKeyword(String(name))
  const forbidden =
    keyword !== null &&
    (scope.kind === 'outputs' ||
      (scope.kind === 'node' && keyword !== 'SELF') ||
      (scope.kind === 'relationship' && keyword === 'SELF'))
  if (forbidden) {
    throw new DslError('ValueError', `${keyword} cannot be used with the ${call.name} function in ${path}.`)
  }
  if (keyword !== null && scope.kind !== 'other') return
  if (nodeProperties(String(name)) !== null) return
  throw new DslError('KeyError', `${call.name} function node reference '${String(name)}' does not exist.`)
}

async function chosenInstance(call: Call, scope: RunScope): Promise<StoredNodeInstance> {
  const [name] = attributePath(call)
  const keyword = asKeyword(String(name))
  if (keyword === null) return pickInstance(call, String(name), scope)
  const id = instanceOfKeyword(call, keyword, scope.context)
  const instance = await scope.storage.nodeInstance(id)
  if (instance === null) throw evaluationError(call, `there is no node instance '${id}'.`)
  return instance
}

/** Runtime property, else what the instance itself knows, else the node's property, else null. */
async function attributeOf(
  call: Call,
  instance: StoredNodeInstance,
  path: readonly Json[],
  scope: RunScope,
): Promise<Json> {
  spendSteps(scope.budget, call.name, path.length)
  const own = { self: instance.id }
  const evaluate = (value: Json): Promise<Json> => scope.evaluateIn(value, own, scope.storage)
  const isCallIn = (value: Json): boolean => measure(value, scope.budget, call.name).isCall
  const walk = { evaluate, isCallIn }
  const runtime = await follow(call, instance.runtime_properties, path, walk)
  if (runtime !== null) return runtime
  const [first] = path
  if (path.length === 1 && first === 'node_instance_id') return instance.id
  if (path.length === 1 && first === 'node_instance_index') return instance.index
  const node = await nodeOf(scope.storage, instance)
  return node === null ? null : follow(call, node.properties, path, walk)
}

function nodeOf(
  storage: EvaluationStorage,
  instance: StoredNodeInstance,
): ReturnType<EvaluationStorage['node']> {
  return storage.node(instance.node_id)
}

/** Null where there is nothing; a list index out of range is nothing, a non-integer one an error. */
async function follow(
  call: Call,
  value: Json,
  path: readonly Json[],
  {
    evaluate,
    isCallIn,
  }: { readonly evaluate: (value: Json) => Promise<Json>; readonly isCallIn: (value: Json) => boolean },
): Promise<Json> {
  let at: Json = value
  for (const key of path) {
    if (isCallIn(at)) at = await evaluate(at)
    if (isList(at)) {
      const index = listIndex(key)
      if (index === null)
        throw evaluationError(call, `the index ${shortText(key)} into a list is no integer.`)
      at = at[index < 0 ? at.length + index : index] ?? null
    } else if (isObject(at)) {
      at = member(at, String(key)) ?? null
    } else {
      return null
    }
  }
  return evaluate(at)
}
