import { type TObject, Type } from 'typebox'
import { badParameter, globalForbidden, illegalAction } from './errors/messages.ts'
import type { QueryValues } from './list/query-value.ts'
import { newVisibility } from './shapes/common.ts'
import { parseBoolean } from './values/boolean.ts'
import { parseParameters } from './values/parse-object.ts'
import { wireList } from './values/wire-list.ts'
import { wireTypeOf } from './values/wire-type.ts'

/** From narrow to wide (docs/reference/rest-conventions.md, "Visibility"). */
export const visibilities = ['private', 'tenant', 'global'] as const

export type Visibility = (typeof visibilities)[number]

export const isVisibility = (value: unknown): value is Visibility => visibilities.some((one) => one === value)

const invalid = (value: unknown, allowed: readonly Visibility[]) =>
  badParameter(
    `Invalid visibility: \`${String(value)}\`. Valid visibility's values are: ${wireList(allowed)}`,
  )

export type GivenVisibility = { readonly visibility?: unknown; readonly private_resource?: unknown }

/** The visibility of a resource to create: all three values, default tenant. */
export const parseCreateVisibility = (given: GivenVisibility): Visibility =>
  parseGivenVisibility(given) ?? 'tenant'

/**
 * Undefined where nothing is said of it; `private_resource` is the older way to say private and may not be combined
 * with it.
 */
export function parseGivenVisibility({
  visibility,
  private_resource: privateResource,
}: GivenVisibility): Visibility | undefined {
  const isGiven = visibility !== undefined && visibility !== null
  if (privateResource !== undefined && privateResource !== null) {
    if (isGiven)
      throw badParameter("The `visibility` and `private_resource` parameters can't be used together")
    return parseBoolean('private_resource', privateResource) ? 'private' : 'tenant'
  }
  if (!isGiven) return undefined
  if (!isVisibility(visibility)) throw invalid(visibility, visibilities)
  return visibility
}

/**
 * Clients say how widely a new resource is seen in the query, in the body, or once in each: none of it is dropped, as
 * others would see what was meant to be private. Whoever says private anywhere gets it.
 *
 * @throws bad_parameters_error for two visibilities that differ
 */
export function joinVisibilities<Given extends object>(query: GivenVisibility, body: Given): Given {
  const names = given([query.visibility, (body as GivenVisibility).visibility])
  if (new Set(names).size > 1) {
    throw badParameter(`The visibility is said twice, and differently: ${wireList(names.map(String))}`)
  }
  const flags = given([query.private_resource, (body as GivenVisibility).private_resource])
  const isPrivate = flags.map((flag) => parseBoolean('private_resource', flag)).includes(true)
  return {
    ...body,
    ...(names.length > 0 && { visibility: names[0] }),
    ...(flags.length > 0 && { private_resource: isPrivate }),
  }
}

/** The body of a creation, with what the query says about who sees the new resource. */
export function withQueriedVisibility(schema: TObject, query: QueryValues, body: unknown): unknown {
  const isCreation = Object.hasOwn(schema.properties, 'private_resource')
  if (!isCreation || (body !== undefined && wireTypeOf(body) !== 'dict')) return body
  return joinVisibilities(parseParameters(visibilityQuery, query), body ?? {})
}

export const visibilityQuery = Type.Object(newVisibility)

const given = (values: readonly unknown[]) => values.filter((value) => value !== undefined && value !== null)

/** The new visibility of `set-visibility`: only tenant or global. */
export function parseSetVisibility(visibility: unknown): 'tenant' | 'global' {
  if (visibility === 'tenant' || visibility === 'global') return visibility
  throw invalid(visibility, ['tenant', 'global'])
}

export const isWider = (one: Visibility, other: Visibility): boolean =>
  visibilities.indexOf(one) > visibilities.indexOf(other)

/** Visibility only ever widens. @throws illegal_action_error */
export function checkWidening(id: string, present: Visibility, wanted: Visibility): void {
  if (isWider(present, wanted)) {
    throw illegalAction(
      `Can't set the visibility of \`${id}\` to ${wanted} because it already has wider visibility`,
    )
  }
}

/** @throws forbidden_error unless the user may make resources global */
export function checkGlobalAllowed(visibility: Visibility, user: string, mayCreateGlobal: boolean): void {
  if (visibility === 'global' && !mayCreateGlobal) throw globalForbidden(user)
}
