import {
  ApiError,
  badParameter,
  checkIdentifier,
  illegalAction,
  type ListAnswer,
  type ListQuery,
  notFound,
  parseSystemRole,
  type RouteBody,
} from '@tutti/api'
import { type Database, everything, findItem, listPage, type Transaction } from '@tutti/storage'
import { type Actor, askingOf, requirePermission } from '../actor.ts'
import { authenticate, boundExecution, isLocked, requireLocalUsers } from '../authentication/index.ts'
import { bootstrapAdmin } from '../first.ts'
import {
  countActiveAdministrators,
  deleteTokens,
  deleteUser,
  findUser,
  holdingsOf,
  insertUser,
  lockAdministrators,
  lockUser,
  type UserView,
  updateUser,
  userIdIs,
  usernameIs,
  userResource,
} from './queries.ts'

export async function listUsers(actor: Actor, list: ListQuery, view: UserView): Promise<ListAnswer> {
  checkView(actor, view)
  return listPage(actor.services.db, userResource(view), list, everything)
}

/** @throws not_found_error, forbidden_error for a hash that the caller may not see */
export async function getUser(actor: Actor, username: string, view: UserView, include?: readonly string[]) {
  checkView(actor, view)
  const { db } = actor.services
  const item = (await findItem(db, userResource(view), usernameIs(username), everything, include))?.item
  if (item === undefined) throw notFound('User', username)
  return item
}

/** The user who asks; not their other tenants, where an execution asks. @throws forbidden_error */
export async function getSelf(actor: Actor, view: UserView, include?: readonly string[]) {
  checkView(actor, view)
  if (view.withData && boundExecution(actor.caller)) requirePermission(actor, 'tenant_list_get_data')
  const { caller, services } = actor
  const item = (await findItem(services.db, userResource(view), userIdIs(caller.userId), everything, include))
    ?.item
  if (item === undefined) throw notFound('User', caller.username)
  return item
}

function checkView(actor: Actor, view: UserView): void {
  if (view.withHash) requirePermission(actor, 'get_password_hash')
}

/** Said by v3 only, where `suspended` is one of the roles (docs/reference/rest-conventions.md, "Versions"). */
type Activity = { readonly active?: boolean }

/**
 * Sets one thing of a user (docs/reference/access.md, "Users"). Everybody may set their own password and preferences;
 * the rest needs `user_update`, and whether somebody is active `user_set_activated`.
 *
 * @throws bad_parameters_error, forbidden_error, not_found_error, illegal_action_error
 */
export async function changeUser(
  actor: Actor,
  username: string,
  body: RouteBody<'users.update'> & Activity,
): Promise<void> {
  const { password, role, show_getting_started: showGettingStarted, active } = body
  const isSelf = username.toLowerCase() === actor.caller.username.toLowerCase()
  if (active === false) requirePermission(actor, 'user_set_activated')
  else if (!isSelf || role != null) requirePermission(actor, 'user_update')
  const setsRole = role != null || active !== undefined
  if (password != null && setsRole) {
    throw badParameter('Both `password` and `role` provided: set one of them at a time')
  }
  if (password == null && !setsRole && showGettingStarted == null) {
    throw badParameter(
      'No valid user settings provided. Available settings: password, role, show_getting_started',
    )
  }
  const { db } = actor.services
  const user = await requireUser(db, username)
  if (setsRole) return setRole(actor, user, role == null ? undefined : parseSystemRole(role), active)
  const settings = showGettingStarted == null ? {} : { show_getting_started: showGettingStarted }
  if (password == null) return updateUser(db, user.id, settings)
  checkPassword(password)
  if (isSelf) await checkOldPassword(actor, body.old_password ?? undefined)
  const passwordHash = await hashed(actor, password)
  await db.transaction().execute(async (transaction) => {
    await updateUser(transaction, user.id, { ...settings, password_hash: passwordHash })
    await deleteTokens(transaction, user.id)
  })
}

/**
 * A token alone sets no new password for its own user: whoever found it would own the account. Who sends the password
 * with the request has shown that they know it.
 *
 * @throws forbidden_error, unauthorized_error for a wrong one, too_many_requests_error
 */
async function checkOldPassword(actor: Actor, oldPassword: string | undefined): Promise<void> {
  const { access, caller, services } = actor
  if (oldPassword === undefined) {
    if (caller.by === 'password') return
    throw new ApiError('forbidden_error', 'A token alone cannot set a new password for its own user', {
      hint: 'Send the present password as old_password, or authenticate this request with it',
    })
  }
  const login = {
    kind: 'basic',
    username: caller.username,
    password: oldPassword,
    otherwise: { kind: 'none' },
  } as const
  await authenticate(services, access, login, { isLasting: true, ...askingOf(actor) })
}

const hashed = (actor: Actor, password: string): Promise<string> =>
  actor.services.passwords.hash(password, askingOf(actor))

async function setRole(
  actor: Actor,
  user: { readonly id: number; readonly active: boolean },
  role: string | undefined,
  active: boolean | undefined,
): Promise<void> {
  if (active === true && !user.active) requirePermission(actor, 'user_set_activated')
  await actor.services.db.transaction().execute(async (transaction) => {
    await keepingAnAdministrator(transaction, active === false ? 'deactivate' : 'modify the role of', () =>
      updateUser(transaction, user.id, {
        ...(role !== undefined && { role }),
        ...(active !== undefined && { active }),
      }),
    )
  })
}

/**
 * Makes a change that may take the role sys_admin away from somebody, by their own role or that of a group; one after the
 * other until their transactions end.
 *
 * @throws illegal_action_error when nobody active would be left who has it
 */
export async function keepingAnAdministrator<T>(
  transaction: Transaction,
  verb: string,
  change: () => Promise<T>,
): Promise<T> {
  await lockAdministrators(transaction)
  const before = await countActiveAdministrators(transaction)
  const result = await change()
  if (before === 0 || (await countActiveAdministrators(transaction)) > 0) return result
  throw illegalAction(`Cannot ${verb} the last active sys_admin`, {
    hint: 'Give the role sys_admin to another user first',
  })
}

/** @throws not_found_error */
export async function requireUser(db: Database, username: string) {
  const user = await findUser(db, username)
  if (user === undefined) throw notFound('User', username)
  return user
}

/** @throws bad_parameters_error, conflict_error, forbidden_error */
export async function createUser(actor: Actor, body: RouteBody<'users.create'> & Activity): Promise<void> {
  await requireLocalUsers(actor, 'create user')
  const { username, password } = body
  checkIdentifier('username', username)
  const role = parseSystemRole(body.role ?? 'default')
  const times = [body.created_at, body.first_login_at, body.last_login_at]
  if (times.some((time) => time != null)) requirePermission(actor, 'set_timestamp')
  const passwordHash = body.is_prehashed ? checkHash(password) : await hashed(actor, checkPassword(password))
  const isNew = await insertUser(actor.services.db, {
    username,
    password_hash: passwordHash,
    role,
    active: body.active ?? true,
    ...(body.created_at != null && { created_at: body.created_at }),
    first_login_at: body.first_login_at ?? null,
    last_login_at: body.last_login_at ?? null,
  })
  if (!isNew) throw new ApiError('conflict_error', `<User username=\`${username}\`> already exists`)
}

/** @throws not_found_error, illegal_action_error, conflict_error while the user belongs somewhere or owns something */
export async function removeUser({ services: { db } }: Actor, username: string): Promise<void> {
  await db.transaction().execute(async (transaction) => {
    const user = await requireUser(transaction, username)
    if (user.id === bootstrapAdmin.id) throw illegalAction('Cannot delete the bootstrap admin user')
    await lockAdministrators(transaction)
    if (!(await lockUser(transaction, user.id))) throw notFound('User', username)
    const holdings = await holdingsOf(transaction, user)
    if (holdings.length > 0) {
      throw new ApiError(
        'conflict_error',
        `Cannot delete user \`${user.username}\`: has ${holdings.join(', ')}`,
        {
          hint: 'Remove the user from tenants and user groups, and delete or give away what is theirs, first',
        },
      )
    }
    await keepingAnAdministrator(transaction, 'delete', () => deleteUser(transaction, user.id))
  })
}

/** @throws not_found_error, conflict_error when so already, illegal_action_error */
export async function setActive({ services: { db } }: Actor, username: string, active: boolean) {
  await db.transaction().execute(async (transaction) => {
    const user = await requireUser(transaction, username)
    if (user.active === active) {
      throw new ApiError(
        'conflict_error',
        `User ${user.username} is already ${active ? 'active' : 'inactive'}`,
      )
    }
    await keepingAnAdministrator(transaction, 'deactivate', () =>
      updateUser(transaction, user.id, { active }),
    )
  })
}

/** @throws not_found_error, conflict_error when it is not locked */
export async function unlockUser({ services }: Actor, username: string): Promise<void> {
  const user = await requireUser(services.db, username)
  if (!isLocked(services.lockout(), user, services.now())) {
    throw new ApiError('conflict_error', `User ${user.username} is already unlocked`)
  }
  await updateUser(services.db, user.id, { failed_logins: 0 })
}

/** A hash as `_include_hash` shows it. @throws bad_parameters_error */
function checkHash(hash: string): string {
  if (/^\$argon2id\$v=\d+\$m=\d+,t=\d+,p=\d+\$[\w+/=]+\$[\w+/=]+$/.test(hash)) return hash
  throw badParameter('The password is said to be hashed, but is no argon2id hash', {
    hint: 'Hashes of other managers cannot be checked here: set a new password instead',
  })
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
