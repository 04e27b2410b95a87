import { badParameter, globalForbidden, illegalAction } from './errors/messages.ts'
import { parseBoolean } from './values/boolean.ts'
import { wireList } from './values/wire-list.ts'

/** From narrow to wide (spec/rest-facts-a.md 4, spec/rest-facts-b.md 3). */
export const visibilities = ['private', 'tenant', 'global'] as const

export type Visibility = (typeof visibilities)[number]

export const isVisibility = (value: unknown): value is Visibility => visibilities.some((one) => one === value)

const invalid = (value: unknown, allowed: readonly Visibility[]) =>
  badParameter(
    `Invalid visibility: \`${String(value)}\`. Valid visibility's values are: ${wireList(allowed)}`,
  )

/**
 * The visibility of a resource to create: all three values, default tenant; `private_resource` is the
 * older way to say private and may not be combined with it.
 */
export function parseCreateVisibility(visibility: unknown, privateResource?: unknown): Visibility {
  const isGiven = visibility !== undefined && visibility !== null
  if (privateResource !== undefined && privateResource !== null) {
    if (isGiven)
      throw badParameter("The `visibility` and `private_resource` parameters can't be used together")
    return parseBoolean('private_resource', privateResource) ? 'private' : 'tenant'
  }
  if (!isGiven) return 'tenant'
  if (!isVisibility(visibility)) throw invalid(visibility, visibilities)
  return visibility
}

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
