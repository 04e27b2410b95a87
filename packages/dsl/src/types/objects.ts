import type { Json } from '../json.ts'

/** The types whose values name something on the manager (docs/reference/language/types.md, "Primitive types"). */
export type ObjectType =
  | 'blueprint_id'
  | 'deployment_id'
  | 'secret_key'
  | 'capability_value'
  | 'scaling_group'
  | 'node_id'
  | 'node_type'
  | 'node_instance'
  | 'operation_name'

export const OBJECT_TYPES: readonly ObjectType[] = [
  'blueprint_id',
  'deployment_id',
  'secret_key',
  'capability_value',
  'scaling_group',
  'node_id',
  'node_type',
  'node_instance',
  'operation_name',
]

/**
 * One question to the manager: is there such an object that also satisfies every constraint
 * (docs/reference/language/constraints.md, "Objects")?
 */
export type ObjectQuery = {
  readonly type: ObjectType
  readonly value: Json
  /** Where to look: the deployment, else the blueprint from which a deployment is being created. */
  readonly deploymentId: string | null
  readonly constraints: DataConstraints
}

/** The data based constraints of docs/reference/language/constraints.md, "Operators". */
export type DataConstraints = {
  readonly filter_id?: string
  readonly labels?: readonly { readonly [key: string]: Json }[]
  readonly tenants?: readonly string[]
  readonly name_pattern?: {
    readonly starts_with?: string | number
    readonly ends_with?: string | number
    readonly contains?: string | number
    readonly equals_to?: string | number
  }
  readonly valid_values?: readonly Json[]
}

export type ObjectGetter = (query: ObjectQuery) => boolean

/**
 * Runs a pure function that asks about objects, with answers that take time: what it asked is found out, all at once,
 * and it is run again, until no answer is missing. `run` must have no effects.
 */
export async function withObjects<T>(
  find: (queries: readonly ObjectQuery[]) => Promise<readonly boolean[]>,
  run: (objects: ObjectGetter) => T,
): Promise<T> {
  const answers = new Map<string, boolean>()
  for (;;) {
    const asked = new Map<string, ObjectQuery>()
    const result = run((query) => {
      const key = JSON.stringify(query)
      const answer = answers.get(key)
      if (answer === undefined) asked.set(key, query)
      // For the time being all is well, so that further questions are heard.
      return answer ?? true
    })
    if (asked.size === 0) return result
    const found = await find([...asked.values()])
    for (const [index, key] of [...asked.keys()].entries()) answers.set(key, found[index] ?? false)
  }
}
