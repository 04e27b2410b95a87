import {
  ApiError,
  badParameter,
  checkIdentifier,
  type ListAnswer,
  type ListQuery,
  notFound,
  parseTenantRole,
} from '@tutti/api'
import { everything, listPage } from '@tutti/storage'
import { type Actor, requirePermission, tenantOf } from '../actor.ts'
import { boundExecution, requireLocalUsers, rightsOf } from '../authentication/index.ts'
import { defaultTenant } from '../first.ts'
import { getItem } from '../owned.ts'
import { requireGroup } from '../user-groups/index.ts'
import { requireUser } from '../users/index.ts'
import {
  contentsOf,
  deleteMember,
  deleteTenant,
  insertMember,
  insertTenant,
  isOneOf,
  lockTenant,
  type Member,
  tenantResource,
  updateMember,
} from './queries.ts'

/** All tenants for who may see all, else those that the caller belongs to (docs/reference/access.md, "Tenants"). */
export async function listTenants(actor: Actor, list: ListQuery, withData: boolean): Promise<ListAnswer> {
  if (withData) requirePermission(actor, 'tenant_list_get_data')
  const { access, caller, services } = actor
  const [{ byName }, table] = await Promise.all([access.tenants(), access.permissions()])
  const seesAll = rightsOf(caller, table).holds('all_tenants')
  const bound = boundExecution(caller)
  const ids = [...byName.values()]
    .map(({ id }) => id)
    .filter((id) => (bound === undefined ? seesAll || id in caller.tenantRoles : id === bound.tenantId))
  return listPage(services.db, tenantResource(withData), list, everything, [isOneOf(ids)])
}

/** @throws not_found_error, forbidden_error for an execution that asks who belongs to its tenant */
export async function getTenant(actor: Actor, name: string, withData = false, include?: readonly string[]) {
  if (withData && boundExecution(actor.caller)) requirePermission(actor, 'tenant_list_get_data')
  return getItem(actor, tenantResource(withData), name, include, everything)
}

/** They would be taken for a part of the API. */
const reserved = ['users', 'user-groups']

/** @throws bad_parameters_error, conflict_error */
export async function createTenant({ services }: Actor, name: string | undefined): Promise<void> {
  if (name === undefined || reserved.includes(name)) {
    throw badParameter(`A tenant cannot be named ${reserved.map((word) => `\`${word}\``).join(' or ')}`)
  }
  checkIdentifier('tenant_name', name)
  if (!(await insertTenant(services.db, name))) {
    throw new ApiError('conflict_error', `<Tenant name=\`${name}\`> already exists`)
  }
}

/** Takes the tenant's events and ended executions along. @throws conflict_error while it holds anything else */
export async function removeTenant({ services: { db, directory } }: Actor, name: string): Promise<void> {
  const tenant = (await directory.fresh.tenants()).byName.get(name)
  if (tenant === undefined) throw notFound('Tenant', name)
  if (tenant.id === defaultTenant.id) {
    throw new ApiError('conflict_error', `The default tenant \`${name}\` cannot be deleted`)
  }
  await db.transaction().execute(async (transaction) => {
    if (!(await lockTenant(transaction, tenant.id))) throw notFound('Tenant', name)
    const contents = await contentsOf(transaction, tenant.id)
    if (contents.length > 0) {
      throw new ApiError(
        'conflict_error',
        `Cannot delete tenant \`${name}\`: it has ${contents.join(', ')}`,
        {
          hint: 'Delete its resources, and remove its users and user groups, first',
        },
      )
    }
    await deleteTenant(transaction, tenant.id)
  })
}

/** Whom a request names: exactly one of the two. */
export type Named = { readonly username: string } | { readonly group_name: string }

/** @throws not_found_error, conflict_error when the member has a role there already, bad_parameters_error */
export async function addMember(actor: Actor, named: Named, role: string | null | undefined): Promise<void> {
  if ('username' in named) await requireLocalUsers(actor, 'add user to tenant')
  return changeMember(actor, named, async (tenant, member, what) => {
    const { db } = actor.services
    if (await insertMember(db, tenant.id, member, parseTenantRole(role ?? 'user'))) return
    throw new ApiError(
      'conflict_error',
      `${what} is already associated with <Tenant name=\`${tenant.name}\`>`,
    )
  })
}

/** @throws not_found_error, bad_parameters_error */
export async function setMemberRole(actor: Actor, named: Named, role: string): Promise<void> {
  if ('username' in named) await requireLocalUsers(actor, 'update user in tenant')
  return changeMember(actor, named, async (tenant, member, what) => {
    const isThere = await updateMember(actor.services.db, tenant.id, member, parseTenantRole(role))
    if (!isThere) throw notAssociated(what, tenant.name)
  })
}

/** @throws not_found_error */
export async function removeMember(actor: Actor, named: Named): Promise<void> {
  await changeMember(actor, named, async (tenant, member, what) => {
    if (!(await deleteMember(actor.services.db, tenant.id, member))) throw notAssociated(what, tenant.name)
  })
}

async function changeMember(
  actor: Actor,
  named: Named,
  change: (
    tenant: { readonly id: number; readonly name: string },
    member: Member,
    what: string,
  ) => Promise<void>,
): Promise<void> {
  const { db } = actor.services
  const tenant = tenantOf(actor)
  if ('username' in named) {
    const user = await requireUser(db, named.username)
    await change(tenant, { kind: 'user', id: user.id }, `<User username=\`${user.username}\`>`)
  } else {
    const group = await requireGroup(db, named.group_name)
    await change(tenant, { kind: 'group', id: group.id }, `<Group name=\`${group.name}\`>`)
  }
}

function notAssociated(what: string, tenantName: string): ApiError {
  return new ApiError(
    'not_found_error',
    `${what} is not associated with <Tenant name=\`${tenantName}\`>: not found`,
  )
}
