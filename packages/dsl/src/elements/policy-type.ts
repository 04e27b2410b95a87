import type { JsonObject } from '../json.ts'
import { attempt, type Build, type Definitions, definitionsOf } from '../language/build.ts'
import { definitions, optional, record, required, text } from '../language/shape.ts'
import type { PropertySchema } from '../plan/plan.ts'
import type { DataType, Properties } from '../types/model.ts'
import { propertySchema, readProperties, schemaNode } from '../types/property.ts'
import { givenMap, givenText, mapLike, toJson, type YamlMap } from '../yaml/node.ts'

/** `policy_types` (docs/reference/language/groups-and-policies.md, "Groups"): carried as data, nothing runs them. */
export const policyTypesShape = definitions(
  record({ source: required(text), properties: optional(propertySchema), description: optional(text) }),
)

/** `policy_triggers` (docs/reference/language/groups-and-policies.md, "Groups") */
export const policyTriggersShape = definitions(
  record({ source: required(text), parameters: optional(propertySchema), description: optional(text) }),
)

export type PolicyType = {
  readonly name: string
  readonly written: YamlMap
  readonly source: string
  readonly description: string | undefined
  readonly properties: Properties
}

export function policyTypesOf(
  build: Build,
  dataTypes: Definitions<DataType>,
  section: 'policy_types' | 'policy_triggers',
): Definitions<PolicyType> {
  const key = section === 'policy_types' ? 'properties' : 'parameters'
  return definitionsOf(
    build,
    section,
    (name, written) => ({
      name,
      written,
      source: givenText(written, 'source') ?? '',
      description: givenText(written, 'description'),
      properties: readProperties(
        { build, dataTypes, path: `${section}.${name}.${key}`, label: `default value of ${name}` },
        givenMap(written, key),
        new Map(),
      ),
    }),
    () => new Error('policy types do not refer to each other') as never,
  )
}

type PlannedPolicyType = {
  readonly schema: { readonly [name: string]: PropertySchema }
  readonly rest: { readonly source: string; readonly description?: string }
}

/** Name → properties (or parameters), and source and description. */
export function planPolicyTypes(
  build: Build,
  types: Definitions<PolicyType>,
): { readonly [name: string]: PlannedPolicyType } {
  const plan: { [name: string]: PlannedPolicyType } = {}
  for (const name of types.names()) {
    attempt(build, () => {
      const { written, properties, source, description } = types.get(name)
      const schema = toJson(schemaNode(mapLike(written, []), properties), build.conversion) as JsonObject
      plan[name] = {
        schema: schema as { [name: string]: PropertySchema },
        rest: { source, ...(description === undefined ? {} : { description }) },
      }
    })
  }
  return plan
}
