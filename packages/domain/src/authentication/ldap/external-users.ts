import { ApiError, illegalAction } from '@tutti/api'
import type { Actor } from '../../actor.ts'

/**
 * Users and what they belong to are the directory's affair while it is in use (docs/reference/access.md, "Logins
 * through a directory"). Taking away is not refused: what somebody was given before must not stay theirs for ever.
 *
 * @throws illegal_action_error
 */
export async function requireLocalUsers({ services }: Actor, action: string): Promise<void> {
  if ((await services.directory.fresh.ldap()) !== undefined) throw illegalAction(textOf(action))
}

/** The same for what clients know as "not allowed". @throws method_not_allowed_error */
export async function requireLocalGroups({ services }: Actor, action: string): Promise<void> {
  if ((await services.directory.fresh.ldap()) === undefined) return
  throw new ApiError('method_not_allowed_error', textOf(action), {
    hint: 'Add the user to the LDAP group that the user group names; it counts from the next login on',
  })
}

const textOf = (action: string) => `Action \`${action}\` is not available when using external authentication`
