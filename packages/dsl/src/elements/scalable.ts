import { formatError, logicError } from '../diagnostic.ts'
import { isCallNode } from '../functions/call.ts'
import type { Json } from '../json.ts'
import type { Build } from '../language/build.ts'
import { anything, optional, record } from '../language/shape.ts'
import { summary } from '../language/summary.ts'
import type { ScalableProperties } from '../plan/plan.ts'
import { given, kindOf, nodePlace, toJson, type YamlMap, type YamlNode } from '../yaml/node.ts'

/**
 * Properties of a node's `scalable` capability and of scaling policies (docs/reference/language/nodes.md, "Numbers of
 * instances").
 */
export const scalableShape = record({
  default_instances: optional(anything),
  min_instances: optional(anything),
  max_instances: optional(anything),
})

const UNBOUNDED = -1

export function scalableProperties(
  build: Build,
  written: YamlMap | undefined,
  path: string,
): ScalableProperties {
  const of = (key: string, fallback: number): Json => {
    const node = given(written, key)
    return node === undefined ? fallback : instances(build, node, key, `${path}.${key}`)
  }
  const min = of('min_instances', 0)
  const max = of('max_instances', UNBOUNDED)
  const start = of('default_instances', 1)
  checkBounds(written, path, min, start, max)
  return {
    min_instances: min,
    max_instances: max,
    default_instances: start,
    current_instances: start,
    planned_instances: start,
  }
}

/** For `instances: {deploy: N}` of old, and for nodes that say nothing. */
export function fixedInstances(count: number): ScalableProperties {
  return {
    min_instances: 0,
    max_instances: UNBOUNDED,
    default_instances: count,
    current_instances: count,
    planned_instances: count,
  }
}

function instances(build: Build, node: YamlNode, key: string, path: string): Json {
  const at = { place: nodePlace(node), path, value: summary(node) }
  if (node.kind === 'map') {
    if (isCallNode(node)) return toJson(node, build.conversion)
    throw logicError(210, `${key} should be a number or a function.`, at)
  }
  const isMax = key === 'max_instances'
  if (node.kind === 'scalar' && node.type === 'string') {
    if (isMax && node.value === 'UNBOUNDED') return UNBOUNDED
    throw logicError(208, `Illegal value '${node.value}' of ${key}.`, {
      ...at,
      expected: isMax ? 'a number or UNBOUNDED' : 'a number',
    })
  }
  if (node.kind !== 'scalar' || node.type !== 'integer') {
    throw formatError(1, `${key} should be an integer but is ${kindOf(node)}.`, {
      ...at,
      expected: 'integer',
    })
  }
  if (isMax ? node.value !== UNBOUNDED && node.value < 1 : node.value < 0) {
    throw logicError(
      207,
      `${key} is ${node.value}, but should be ${isMax ? 'positive' : 'zero or more'}.`,
      at,
    )
  }
  return node.value
}

function checkBounds(written: YamlMap | undefined, path: string, min: Json, start: Json, max: Json): void {
  const complain = (text: string): never => {
    const place = written === undefined ? null : nodePlace(written)
    throw logicError(207, text, {
      place,
      path,
      ...(written === undefined ? {} : { value: summary(written) }),
    })
  }
  const isBound = typeof max === 'number' && max !== UNBOUNDED
  if (typeof start === 'number' && typeof min === 'number' && start < min) {
    complain(`default_instances (${start}) cannot be smaller than min_instances (${min}).`)
  }
  if (isBound && typeof start === 'number' && start > max) {
    complain(`default_instances (${start}) cannot be greater than max_instances (${max}).`)
  }
  if (isBound && typeof min === 'number' && min > max) {
    complain(`min_instances (${min}) cannot be greater than max_instances (${max}).`)
  }
}
