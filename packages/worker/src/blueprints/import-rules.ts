import type { ImportRules } from './import-resolver.ts'

/** Rules beyond so many are left out: each costs a request for each import. */
const maxRules = 100

/**
 * What the provider context says under `cloudify.import_resolver.parameters`: `rules`, a list of dicts of one entry each,
 * a prefix and what stands in its place, and `fallback`. Whatever else is there is passed over: it was written for
 * another manager, and an upload must not fail for it.
 */
export function importRulesOf(context: unknown): ImportRules | undefined {
  const parameters = at(at(at(context, 'cloudify'), 'import_resolver'), 'parameters')
  const given = at(parameters, 'rules')
  if (!Array.isArray(given)) return undefined
  const rules = given
    .slice(0, maxRules)
    .flatMap((rule: unknown) =>
      typeof rule === 'object' && rule !== null && !Array.isArray(rule)
        ? Object.entries(rule).flatMap(([prefix, replacement]) =>
            prefix !== '' && typeof replacement === 'string' ? [[prefix, replacement] as const] : [],
          )
        : [],
    )
  return { rules, fallback: at(parameters, 'fallback') !== false }
}

const at = (value: unknown, key: string): unknown =>
  typeof value === 'object' && value !== null && Object.hasOwn(value, key)
    ? (value as Readonly<Record<string, unknown>>)[key]
    : undefined
