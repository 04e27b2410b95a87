import { logicError } from '../diagnostic.ts'
import type { JsonObject } from '../json.ts'
import { attempt, type Build, type Definitions, section, sectionEntries } from '../language/build.ts'
import { anything, definitions, list, map, nameOf, optional, record, required } from '../language/shape.ts'
import { nearest } from '../language/suggest.ts'
import type { PlanGroup } from '../plan/plan.ts'
import { completeValues } from '../types/complete.ts'
import type { DataType, Properties } from '../types/model.ts'
import {
  given,
  givenItems,
  givenMap,
  givenText,
  mapLike,
  nodePlace,
  textOf,
  toJson,
  type YamlMap,
} from '../yaml/node.ts'
import type { PolicyType } from './policy-type.ts'

/** `groups` (docs/reference/language/groups-and-policies.md, "Groups") */
export const groupsShape = definitions(
  record({
    members: required(list(nameOf, { count: 1, message: 'A group needs at least one member.' })),
    policies: optional(
      definitions(
        record({
          type: required(nameOf),
          properties: optional(map(anything)),
          triggers: optional(
            definitions(record({ type: required(nameOf), parameters: optional(map(anything)) })),
          ),
        }),
      ),
    ),
  }),
)

export type GroupTypes = {
  readonly dataTypes: Definitions<DataType>
  readonly policyTypes: Definitions<PolicyType>
  readonly policyTriggers: Definitions<PolicyType>
}

type Groups = { readonly [name: string]: PlanGroup }
type Policies = PlanGroup['policies']
type Triggers = Policies[string]['triggers']

export function planGroups(build: Build, types: GroupTypes): Groups {
  const plan: { [name: string]: PlanGroup } = {}
  for (const [name, node] of sectionEntries(build, 'groups')) {
    if (node.kind !== 'map' || build.problems.broken.has(`groups.${name}`)) continue
    attempt(build, () => {
      if (section(build, 'node_templates')?.entries.has(name) === true) {
        throw logicError(211, `The group '${name}' has the same name as a node.`, {
          place: nodePlace(node),
          path: `groups.${name}`,
        })
      }
      plan[name] = { members: members(build, name, node), policies: policies(build, types, name, node) }
    })
  }
  return plan
}

function members(build: Build, group: string, written: YamlMap): readonly string[] {
  const nodes = section(build, 'node_templates')?.entries
  const groups = section(build, 'groups')?.entries
  const names = new Set<string>()
  givenItems(written, 'members').forEach((item, index) => {
    const name = textOf(item) ?? ''
    if (nodes?.has(name) !== true && groups?.has(name) !== true) {
      throw logicError(40, `The member '${name}' of group '${group}' is neither a node nor a group.`, {
        place: nodePlace(item),
        path: `groups.${group}.members.${index}`,
        value: name,
        suggestion: nearest(name, [...(nodes?.keys() ?? []), ...(groups?.keys() ?? [])]),
      })
    }
    names.add(name)
  })
  return [...names]
}

/** Legacy policies: completed from their types and carried as data. */
function policies(build: Build, types: GroupTypes, group: string, written: YamlMap): Policies {
  const plan: { [name: string]: Policies[string] } = {}
  for (const [name, { value }] of givenMap(written, 'policies')?.entries ?? []) {
    if (value.kind !== 'map') continue
    const path = `groups.${group}.policies.${name}`
    const label = `policy '${name}' of group '${group}'`
    const type = find(types.policyTypes, 41, 'policy type', value, path)
    const triggers: { [name: string]: Triggers[string] } = {}
    for (const [triggerName, { value: trigger }] of givenMap(value, 'triggers')?.entries ?? []) {
      if (trigger.kind !== 'map') continue
      const triggerPath = `${path}.triggers.${triggerName}`
      const triggerType = find(types.policyTriggers, 42, 'policy trigger', trigger, triggerPath)
      triggers[triggerName] = {
        type: triggerType.name,
        parameters: complete(
          build,
          types,
          `trigger '${triggerName}' of ${label}`,
          triggerPath,
          trigger,
          'parameters',
          triggerType.properties,
        ),
      }
    }
    plan[name] = {
      type: type.name,
      properties: complete(build, types, label, path, value, 'properties', type.properties),
      triggers,
    }
  }
  return plan
}

function complete(
  build: Build,
  types: GroupTypes,
  label: string,
  path: string,
  written: YamlMap,
  key: 'properties' | 'parameters',
  properties: Properties,
): JsonObject {
  const values = givenMap(written, key)
  return toJson(
    completeValues(
      { dataTypes: types.dataTypes, label, path: `${path}.${key}`, partial: false },
      values ?? mapLike(written, []),
      values,
      properties,
      '',
    ),
    build.conversion,
  ) as JsonObject
}

function find(
  types: Definitions<PolicyType>,
  code: 41 | 42,
  kind: string,
  written: YamlMap,
  path: string,
): PolicyType {
  const name = givenText(written, 'type') ?? ''
  if (types.has(name)) return types.get(name)
  throw logicError(code, `Could not find the ${kind} '${name}'.`, {
    place: nodePlace(given(written, 'type') ?? written),
    path: `${path}.type`,
    value: name,
    suggestion: nearest(name, types.names()),
  })
}
