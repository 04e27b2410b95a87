import { Type } from 'typebox'
import { UserGroup, userGroupFields } from '../shapes/access.ts'
import { ListOf, Nullable, WithData } from '../shapes/common.ts'
import { route } from './route.ts'

const GroupUser = Type.Object({ username: Type.String(), group_name: Type.String() })

/** spec/rest-spec-b.md 4.14, spec/rest-facts-b.md 4. */
export const userGroupRoutes = {
  'userGroups.list': route({
    method: 'GET',
    path: '/user-groups',
    since: 'v3',
    permission: 'user_group_list',
    tenant: 'none',
    summary: 'List user groups',
    list: userGroupFields,
    query: WithData,
    response: ListOf(UserGroup),
    status: 200,
  }),
  'userGroups.get': route({
    method: 'GET',
    path: '/user-groups/:group_name',
    since: 'v3',
    permission: 'user_group_get',
    tenant: 'none',
    summary: 'Get a user group',
    query: WithData,
    response: UserGroup,
    status: 200,
  }),
  'userGroups.create': route({
    method: 'POST',
    path: '/user-groups',
    since: 'v3',
    permission: 'user_group_create',
    tenant: 'none',
    summary: 'Create a user group',
    body: Type.Object({
      group_name: Type.String(),
      ldap_group_dn: Type.Optional(Nullable(Type.String())),
      role: Type.Optional(Nullable(Type.String())),
    }),
    response: UserGroup,
    status: 201,
  }),
  'userGroups.update': route({
    method: 'POST',
    path: '/user-groups/:group_name',
    since: 'v3',
    permission: 'user_group_update',
    tenant: 'none',
    summary: 'Set the system role of a user group',
    body: Type.Object({ role: Type.String() }),
    response: UserGroup,
    status: 200,
  }),
  'userGroups.delete': route({
    method: 'DELETE',
    path: '/user-groups/:group_name',
    since: 'v3',
    permission: 'user_group_delete',
    tenant: 'none',
    summary: 'Delete a user group that has no users and tenants',
    response: 'empty',
    status: 204,
  }),
  'userGroups.addUser': route({
    method: 'PUT',
    path: '/user-groups/users',
    since: 'v3',
    permission: 'user_group_add_user',
    tenant: 'none',
    summary: 'Add a user to a user group',
    body: GroupUser,
    response: UserGroup,
    status: 200,
  }),
  'userGroups.removeUser': route({
    method: 'DELETE',
    path: '/user-groups/users',
    since: 'v3',
    permission: 'user_group_remove_user',
    tenant: 'none',
    summary: 'Remove a user from a user group',
    body: GroupUser,
    response: 'empty',
    status: 204,
  }),
} as const
