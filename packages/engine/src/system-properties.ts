import type { JsonValue } from './json.ts'

/** A value within the system properties of a node instance. What stood at `status` becomes `previous_status`. */
export type SystemPropertyChange = {
  readonly nodeInstanceId: string
  readonly path: SystemPropertyPath
  readonly value: JsonValue
}

export type SystemPropertyPath =
  | readonly ['status' | 'configuration_drift' | 'heal_failed' | 'update_failed']
  | readonly [
      'source_relationships_configuration_drift' | 'target_relationships_configuration_drift',
      nodeInstanceId: string,
    ]

const properties = ['status', 'configuration_drift', 'heal_failed', 'update_failed']
const propertiesOfRelationships = [
  'source_relationships_configuration_drift',
  'target_relationships_configuration_drift',
]

export function isSystemPropertyPath(path: JsonValue | undefined): boolean {
  if (!Array.isArray(path) || typeof path[0] !== 'string') return false
  if (path.length === 1) return properties.includes(path[0])
  return path.length === 2 && propertiesOfRelationships.includes(path[0]) && typeof path[1] === 'string'
}
