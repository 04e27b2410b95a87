import {
  ApiError,
  badParameter,
  checkIdentifier,
  type ListAnswer,
  type ListQuery,
  notFound,
  parseSystemRole,
  type RouteBody,
} from '@tutti/api'
import type { Transaction } from '@tutti/storage'
import { type Database, everything, findItem, listPage } from '@tutti/storage'
import type { Actor } from '../actor.ts'
import { requireLocalGroups } from '../authentication/index.ts'
import { keepingAnAdministrator, requireUser } from '../users/index.ts'
import {
  deleteGroup,
  deleteGroupUser,
  findGroup,
  groupNameIs,
  insertGroup,
  insertGroupUser,
  updateGroupRole,
  userGroupResource,
} from './queries.ts'

export async function listGroups(actor: Actor, list: ListQuery, withData: boolean): Promise<ListAnswer> {
  return listPage(actor.services.db, userGroupResource(withData), list, everything)
}

/** `withData`: names of users and tenants instead of their number. @throws not_found_error */
export async function getGroup(
  { services: { db } }: Actor,
  name: string,
  withData = false,
  include?: readonly string[],
) {
  const item = (await findItem(db, userGroupResource(withData), groupNameIs(name), everything, include))?.item
  if (item === undefined) throw notFound('Group', name)
  return item
}

/** @throws not_found_error */
export async function requireGroup(db: Database, name: string) {
  const group = await findGroup(db, name)
  if (group === undefined) throw notFound('Group', name)
  return group
}

/** @throws bad_parameters_error, conflict_error */
export async function createGroup(actor: Actor, body: RouteBody<'userGroups.create'>): Promise<void> {
  const name = body.group_name
  if (name === 'users') throw badParameter('A user group cannot be named `users`')
  checkIdentifier('group_name', name)
  const ldapDn = body.ldap_group_dn == null || body.ldap_group_dn === '' ? null : body.ldap_group_dn
  const group = { name, ldap_dn: ldapDn, role: parseSystemRole(body.role ?? 'default') }
  if (!(await insertGroup(actor.services.db, group))) {
    const taken = ldapDn === null ? `name \`${name}\`` : `name \`${name}\` or LDAP group \`${ldapDn}\``
    throw new ApiError('conflict_error', `A user group with the ${taken} already exists`)
  }
}

/** @throws not_found_error, bad_parameters_error */
export async function setGroupRole(transaction: Transaction, name: string, role: string): Promise<void> {
  const systemRole = parseSystemRole(role)
  const group = await requireGroup(transaction, name)
  await keepingAnAdministrator(transaction, 'modify the role of', () =>
    updateGroupRole(transaction, group.id, systemRole),
  )
}

/** @throws not_found_error, conflict_error while it has users or tenants */
export async function removeGroup({ services: { db } }: Actor, name: string): Promise<void> {
  const group = await requireGroup(db, name)
  if (await deleteGroup(db, group.id)) return
  throw new ApiError(
    'conflict_error',
    `Cannot delete user group \`${group.name}\`: it has users or tenants`,
    {
      hint: 'Remove its users, and remove it from its tenants, first',
    },
  )
}

type Membership = { readonly username: string; readonly group_name: string }

/** @throws not_found_error, conflict_error */
export async function addUserToGroup(actor: Actor, membership: Membership): Promise<void> {
  await requireLocalGroups(actor, 'add user to group')
  const { db } = actor.services
  const { group, user } = await bothOf(db, membership)
  if (!(await insertGroupUser(db, group.id, user.id))) {
    throw new ApiError(
      'conflict_error',
      `<User username=\`${user.username}\`> is already in <Group name=\`${group.name}\`>`,
    )
  }
}

/** @throws not_found_error */
export async function removeUserFromGroup(actor: Actor, membership: Membership): Promise<void> {
  const { db } = actor.services
  const { group, user } = await bothOf(db, membership)
  const isRemoved = await db
    .transaction()
    .execute((transaction) =>
      keepingAnAdministrator(transaction, 'remove from the group', () =>
        deleteGroupUser(transaction, group.id, user.id),
      ),
    )
  if (isRemoved) return
  throw new ApiError(
    'not_found_error',
    `<User username=\`${user.username}\`> was not found in <Group name=\`${group.name}\`>`,
  )
}

async function bothOf(db: Database, { username, group_name: groupName }: Membership) {
  const user = await requireUser(db, username)
  return { user, group: await requireGroup(db, groupName) }
}
