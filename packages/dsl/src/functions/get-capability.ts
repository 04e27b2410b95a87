import { isList, isObject, type Json } from '../json.ts'
import type { StoredCapability } from '../runtime/storage.ts'
import { ITEM_BYTES, reserve, STEPS_OF_CALL, spendSteps } from './budget.ts'
import { type Call, isCall } from './call.ts'
import {
  argumentError,
  evaluationError,
  type FunctionDefinition,
  type RunScope,
  shortText,
  validationError,
} from './definition.ts'
import { followPath } from './walk.ts'

/** `get_capability: [DEPLOYMENT, NAME, key or index, …]` (docs/reference/language/functions.md, "The functions") */
export const getCapability: FunctionDefinition = {
  check: (call) => {
    checkSimpleItems(call, longList(call))
  },
  async run(call, scope) {
    const [deployment, name, ...path] = longList(call)
    return capabilityValue(call, scope, String(deployment), String(name), path)
  },
}

/**
 * `get_environment_capability: NAME` or `[NAME, key or index, …]` on the deployment's parent
 * (docs/reference/language/functions.md, "The functions")
 */
export const getEnvironmentCapability: FunctionDefinition = {
  check: (call) => {
    const { argument } = call
    if (typeof argument === 'string' || isCall(argument)) return
    if (!isList(argument) || argument.length < 2) {
      throw validationError(
        call,
        `expected a name, or a list of at least 2 elements, but got ${shortText(argument)}.`,
      )
    }
    checkSimpleItems(call, argument)
  },
  async run(call, scope) {
    const [name, ...path] = isList(call.argument) ? call.argument : [call.argument]
    const parent = await scope.storage.parentDeploymentId()
    if (parent === null)
      throw evaluationError(
        call,
        `the deployment '${scope.storage.deploymentId}' has no csys-obj-parent label.`,
      )
    return capabilityValue(call, scope, parent, String(name), path)
  },
}

const BY_DEPLOYMENT = 'deployment_id:'

/**
 * `get_group_capability: [GROUP, NAME or [NAME, …] or deployment_id:NAME, key or index, …]`
 * (docs/reference/language/functions.md, "The functions")
 */
export const getGroupCapability: FunctionDefinition = {
  check(call) {
    const [group, names, ...path] = longList(call)
    const simple = isList(names) ? names : [names ?? null]
    checkSimpleItems(call, [group ?? null, ...simple, ...path])
  },
  async run(call, scope) {
    const [group, names, ...path] = longList(call)
    const ids = await scope.storage.groupDeploymentIds(String(group))
    if (ids === null) throw evaluationError(call, `there is no deployment group '${String(group)}'.`)
    const named = isList(names) ? names.map(String) : String(names)
    const byDeployment = typeof named === 'string' && named.startsWith(BY_DEPLOYMENT)
    let made = 0
    const list: Json[] = []
    const dict: { [deployment: string]: Json } = {}
    for (const id of ids) {
      const values: Json[] = []
      let any = false
      for (const name of typeof named === 'string' ? [named] : named) {
        const plain = byDeployment ? name.slice(BY_DEPLOYMENT.length) : name
        made += ITEM_BYTES
        reserve(scope.budget, call.name, made)
        spendSteps(scope.budget, call.name, STEPS_OF_CALL)
        const value = await declaredValue(call, scope, id, plain, path)
        if (value !== undefined) any = true
        values.push(value ?? null)
      }
      if (!any) continue
      const value = typeof named === 'string' ? (values[0] ?? null) : values
      list.push(value)
      dict[id] = value
    }
    return byDeployment ? dict : list
  },
}

function longList(call: Call): readonly Json[] {
  if (isList(call.argument) && call.argument.length >= 2) return call.argument
  throw argumentError(call, `expected a list of at least 2 elements but got ${shortText(call.argument)}.`)
}

function checkSimpleItems(call: Call, items: readonly Json[]): void {
  for (const [index, item] of items.entries()) {
    if (typeof item === 'string' || Number.isInteger(item) || isCall(item)) continue
    throw argumentError(
      call,
      `only strings, ints and functions are accepted, but element ${index} is ${isObject(item) ? 'a dict' : shortText(item)}.`,
    )
  }
}

async function capabilityValue(
  call: Call,
  scope: RunScope,
  deployment: string,
  name: string,
  path: readonly Json[],
): Promise<Json> {
  const found: StoredCapability = await scope.storage.capability(deployment, name)
  if (found.found === 'no deployment') throw evaluationError(call, `there is no deployment '${deployment}'.`)
  if (found.found === 'no capability') {
    throw evaluationError(call, `the deployment '${deployment}' has no capability '${name}'.`)
  }
  let at = await scope.evaluateIn(found.value, {}, found.storage)
  for (const key of path) {
    const next = followPath(at, [key])
    if ('problem' in next)
      throw evaluationError(call, `capability '${name}' of '${deployment}': ${next.problem}`)
    at = next.value
  }
  return at
}

/** As it stands, evaluated in the requesting deployment [Q]; undefined where the deployment has none. */
async function declaredValue(
  call: Call,
  scope: RunScope,
  deployment: string,
  name: string,
  path: readonly Json[],
): Promise<Json | undefined> {
  const found = await scope.storage.capability(deployment, name)
  if (found.found !== 'value') return undefined
  const value = followPath(await scope.evaluate(found.value), path)
  if ('problem' in value)
    throw evaluationError(call, `capability '${name}' of '${deployment}': ${value.problem}`)
  return value.value
}
