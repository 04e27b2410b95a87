import {
  badParameter,
  illegalAction,
  type ListQuery,
  notFound,
  type RouteBody,
  roles,
  systemRoleAliases,
  systemRoles,
  wireList,
} from '@tutti/api'
import { findItem, type ListedPage, listPage } from '@tutti/storage'
import { hashPassword } from '../../authentication/passwords.ts'
import { type Request, requirePermission } from '../../request.ts'
import {
  allUsers,
  findUser,
  lockActiveAdministrators,
  type UserView,
  updateUser,
  userIdIs,
  usernameIs,
  userResource,
} from './queries.ts'

export async function listUsers(request: Request, list: ListQuery, view: UserView): Promise<ListedPage> {
  checkView(request, view)
  return listPage(request.services.db, userResource(view), list, allUsers)
}

export async function getUser(
  request: Request,
  username: string,
  view: UserView,
  include?: readonly string[],
) {
  checkView(request, view)
  const { db } = request.services
  const item = await findItem(db, userResource(view), usernameIs(username), allUsers, include)
  if (item === undefined) throw notFound('User', username)
  return item
}

/** The user who asks. */
export async function getSelf(request: Request, view: UserView, include?: readonly string[]) {
  checkView(request, view)
  const { caller, services } = request
  const item = await findItem(services.db, userResource(view), userIdIs(caller.userId), allUsers, include)
  if (item === undefined) throw notFound('User', caller.username)
  return item
}

function checkView(request: Request, view: UserView): void {
  if (view.withHash) requirePermission(request, 'get_password_hash')
}

/**
 * Sets one thing of a user (spec/rest-facts-b.md 4). Everybody may set their own password and preferences; the rest
 * needs `user_update`.
 *
 * @throws bad_parameters_error, forbidden_error, not_found_error, illegal_action_error
 */
export async function changeUser(
  request: Request,
  username: string,
  body: RouteBody<'users.update'>,
): Promise<void> {
  const { password, role, show_getting_started: showGettingStarted } = body
  const isSelf = username.toLowerCase() === request.caller.username.toLowerCase()
  if (!isSelf || role != null) requirePermission(request, 'user_update')
  if (password != null && role != null) {
    throw badParameter('Both `password` and `role` provided: set one of them at a time')
  }
  if (password == null && role == null && showGettingStarted == null) {
    throw badParameter(
      'No valid user settings provided. Available settings: password, role, show_getting_started',
    )
  }
  const { db } = request.services
  const user = await findUser(db, username)
  if (user === undefined) throw notFound('User', username)
  if (role != null) return setRole(request, user, parseSystemRole(role))
  const passwordHash = password == null ? undefined : await hashPassword(checkPassword(password))
  await updateUser(db, user.id, {
    ...(passwordHash !== undefined && { passwordHash }),
    ...(showGettingStarted != null && { showGettingStarted }),
  })
}

async function setRole({ services }: Request, user: { readonly id: number }, role: string): Promise<void> {
  await services.db.transaction().execute(async (transaction) => {
    const administrators = await lockActiveAdministrators(transaction)
    const isLast = administrators.length === 1 && administrators[0] === user.id
    if (isLast && role !== 'sys_admin') {
      throw illegalAction('Cannot modify the role of the last active sys_admin', {
        hint: 'Give the role sys_admin to another user first',
      })
    }
    await updateUser(transaction, user.id, { role })
  })
}

/** In the words of today or of the older API. @throws bad_parameters_error */
function parseSystemRole(name: string): string {
  const role = Object.hasOwn(systemRoleAliases, name) ? systemRoleAliases[name] : name
  if (systemRoles.some((one) => one === role)) return role ?? name
  if (Object.hasOwn(roles, name)) {
    throw badParameter(`Role \`${name}\` is a tenant_role and cannot be assigned as a system_role`)
  }
  throw badParameter(`Invalid role: \`${name}\`. Valid system_role roles are: ${wireList(systemRoles)}`)
}

const passwordLength = { min: 5, max: 256 }

function checkPassword(password: string): string {
  if (password.length < passwordLength.min) {
    throw badParameter(
      `The password is too short. Minimum allowed length is ${passwordLength.min} characters`,
    )
  }
  if (password.length > passwordLength.max) {
    throw badParameter(`The password is too long. Maximum allowed length is ${passwordLength.max} characters`)
  }
  return password
}
