import type { InputSchema } from '../plan/plan.ts'

/**
 * Names that a request to create a deployment lacks or should not have (docs/reference/language/inputs.md, "Values of a
 * deployment").
 */
export type InputNameProblems = {
  readonly missing: readonly string[]
  readonly unknown: readonly string[]
}

/**
 * What the create call itself checks, before any value is looked at: an input with neither a `default` key nor
 * `required: false` must be given, and what is not declared may not.
 */
export function inputNameProblems(
  schema: { readonly [name: string]: InputSchema },
  given: { readonly [name: string]: unknown },
): InputNameProblems {
  return {
    missing: Object.entries(schema)
      .filter(
        ([name, input]) =>
          !Object.hasOwn(given, name) && input.default === undefined && input.required !== false,
      )
      .map(([name]) => name),
    unknown: Object.keys(given).filter((name) => !Object.hasOwn(schema, name)),
  }
}
