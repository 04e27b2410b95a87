import { badParameter } from '@tutti/api'

type Labels = Readonly<Record<string, readonly unknown[]>>

/**
 * Labels that a plugin gives to blueprints, as they are shown, `{key: [value]}`, or as YAML files have them,
 * `{key: {values: [value]}}`.
 *
 * @throws bad_parameters_error
 */
export function parsePluginLabels(name: string, given: Readonly<Record<string, unknown>>): Labels {
  return Object.fromEntries(Object.entries(given).map(([key, value]) => [key, valuesOf(name, key, value)]))
}

function valuesOf(name: string, key: string, given: unknown): readonly unknown[] {
  if (Array.isArray(given)) return given
  const isOfYaml = typeof given === 'object' && given !== null && Object.keys(given).join() === 'values'
  const values: unknown = isOfYaml ? (given as { readonly values: unknown }).values : undefined
  if (Array.isArray(values)) return values
  throw badParameter(`${name}.${key} must be a list of values, or {values: [...]}`)
}
