import type { Version } from '../language/version.ts'

/**
 * Types that are not data types, and the version that brought them (docs/reference/language/README.md, "Versions";
 * docs/reference/language/types.md, "Primitive types").
 */
export const PRIMITIVE_TYPES: { readonly [name: string]: Version } = {
  string: [1, 0],
  textarea: [1, 0],
  integer: [1, 0],
  float: [1, 0],
  boolean: [1, 0],
  list: [1, 0],
  dict: [1, 0],
  regex: [1, 0],
  blueprint_id: [1, 4],
  deployment_id: [1, 4],
  capability_value: [1, 4],
  scaling_group: [1, 4],
  node_id: [1, 4],
  node_type: [1, 4],
  node_instance: [1, 4],
  secret_key: [1, 4],
  operation_name: [1, 5],
}

export function isPrimitive(type: string): boolean {
  return Object.hasOwn(PRIMITIVE_TYPES, type)
}
