import { logicError } from '../diagnostic.ts'
import { attempt, type Build, section, sectionEntries } from '../language/build.ts'
import { definitions, list, nameOf, optional, record, required } from '../language/shape.ts'
import { nearest } from '../language/suggest.ts'
import type { PlanGroup, PlanPolicy, PlanScalingGroup } from '../plan/plan.ts'
import { given, givenItems, givenMap, givenText, nodePlace, textOf, type YamlMap } from '../yaml/node.ts'
import { scalableProperties, scalableShape } from './scalable.ts'

/** `policies` (docs/reference/language/groups-and-policies.md, "Scaling policies") */
export const policiesShape = definitions(
  record({
    type: required(nameOf),
    targets: required(list(nameOf)),
    properties: optional(scalableShape),
  }),
)

const SCALING = 'cloudify.policies.scaling'

export function planPolicies(build: Build): { readonly [name: string]: PlanPolicy } {
  const plan: { [name: string]: PlanPolicy } = {}
  for (const [name, node] of sectionEntries(build, 'policies')) {
    if (node.kind !== 'map' || build.problems.broken.has(`policies.${name}`)) continue
    attempt(build, () => {
      plan[name] = planPolicy(build, name, node)
    })
  }
  return plan
}

function planPolicy(build: Build, name: string, written: YamlMap): PlanPolicy {
  const path = `policies.${name}`
  const type = givenText(written, 'type') ?? ''
  if (type !== SCALING) {
    throw logicError(204, `The policy '${name}' has the unsupported type '${type}'.`, {
      place: nodePlace(given(written, 'type') ?? written),
      path: `${path}.type`,
      value: type,
      expected: SCALING,
    })
  }
  const targets = givenItems(written, 'targets')
  if (targets.length === 0) {
    throw logicError(206, `The policy '${name}' has no targets.`, {
      place: nodePlace(given(written, 'targets') ?? written),
      path: `${path}.targets`,
      expected: 'at least one group',
    })
  }
  const groups = section(build, 'groups')?.entries
  for (const [index, target] of targets.entries()) {
    const group = textOf(target) ?? ''
    if (groups?.has(group) === true) continue
    throw logicError(205, `The target '${group}' of policy '${name}' is not a group.`, {
      place: nodePlace(target),
      path: `${path}.targets.${index}`,
      value: group,
      suggestion: nearest(group, groups?.keys() ?? []),
    })
  }
  return {
    type,
    targets: targets.map((target) => textOf(target) ?? ''),
    properties: scalableProperties(build, givenMap(written, 'properties'), `${path}.properties`),
  }
}

/**
 * One for each policy target; of two policies with one target the later wins
 * (docs/reference/language/groups-and-policies.md, "Scaling policies").
 */
export function scalingGroupsOf(
  policies: { readonly [name: string]: PlanPolicy },
  groups: { readonly [name: string]: PlanGroup },
): { readonly [name: string]: PlanScalingGroup } {
  const scaling: { [name: string]: PlanScalingGroup } = {}
  for (const { targets, properties } of Object.values(policies)) {
    for (const target of targets) {
      const group = Object.hasOwn(groups, target) ? groups[target] : undefined
      if (group !== undefined) scaling[target] = { members: group.members, properties }
    }
  }
  return scaling
}
