import { type Static, type TSchema, Type } from 'typebox'
import { fieldTable } from '../list/field-table.ts'
import { JsonObject, Nullable, Shape, Timestamp } from './common.ts'

/** A count, or with `_get_data=true` the members themselves (docs/reference/access.md). */
const CountOr = <Member extends TSchema>(member: Member) => Type.Union([Type.Integer(), member])

/** docs/reference/access.md. */
export const Tenant = Shape('Tenant', {
  name: Type.String(),
  groups: CountOr(JsonObject),
  users: CountOr(JsonObject),
  user_roles: Nullable(JsonObject),
  rabbitmq_username: Nullable(Type.String()),
  rabbitmq_password: Nullable(Type.String()),
  rabbitmq_vhost: Nullable(Type.String()),
})
export type Tenant = Static<typeof Tenant>

export const tenantFields = fieldTable(Tenant, {
  defaultSort: [{ by: 'field', key: 'name', direction: 'ascending' }],
})

/** docs/reference/access.md. The password is never answered. */
export const User = Shape('User', {
  username: Type.String(),
  role: Type.String(),
  active: Type.Boolean(),
  is_locked: Type.Boolean(),
  created_at: Nullable(Timestamp),
  first_login_at: Nullable(Timestamp),
  last_login_at: Nullable(Timestamp),
  show_getting_started: Type.Boolean(),
  group_system_roles: JsonObject,
  groups: CountOr(Type.Array(Type.String())),
  tenants: CountOr(JsonObject),
  tenant_roles: Nullable(JsonObject),
  password_hash: Nullable(Type.String()),
})
export type User = Static<typeof User>

export const userFields = fieldTable(User, {
  defaultSort: [{ by: 'field', key: 'username', direction: 'ascending' }],
})

/** docs/reference/access.md, "Tokens". `value` is masked except in the answer that creates the token. */
export const Token = Shape('Token', {
  id: Type.String(),
  username: Type.String(),
  value: Type.String(),
  role: Type.String(),
  description: Nullable(Type.String()),
  expiration_date: Nullable(Timestamp),
  last_used: Nullable(Timestamp),
})
export type Token = Static<typeof Token>

export const tokenFields = fieldTable(Token, {
  defaultSort: [{ by: 'field', key: 'id', direction: 'ascending' }],
})

/** docs/reference/access.md. `ldap_dn`: members of this LDAP group join by logging in. */
export const UserGroup = Shape('UserGroup', {
  name: Type.String(),
  ldap_dn: Nullable(Type.String()),
  role: Type.String(),
  tenants: CountOr(JsonObject),
  users: CountOr(Type.Array(Type.String())),
})
export type UserGroup = Static<typeof UserGroup>

export const userGroupFields = fieldTable(UserGroup, {
  defaultSort: [{ by: 'field', key: 'name', direction: 'ascending' }],
})

/** docs/reference/access.md, "Permissions". */
export const RolePermission = Shape('RolePermission', { role: Type.String(), permission: Type.String() })
export type RolePermission = Static<typeof RolePermission>

export const rolePermissionFields = fieldTable(RolePermission, {
  defaultSort: [
    { by: 'field', key: 'permission', direction: 'ascending' },
    { by: 'field', key: 'role', direction: 'ascending' },
  ],
})
