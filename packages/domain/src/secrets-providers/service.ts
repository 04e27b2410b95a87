import {
  ApiError,
  badParameter,
  checkIdentifier,
  emptyUpdate,
  type ListAnswer,
  type ListQuery,
  missingBodyField,
  parseCreateVisibility,
  parseGivenVisibility,
  type RouteBody,
  secretsProviderTypes,
  wireList,
} from '@tutti/api'
import type { Transaction } from '@tutti/storage'
import { type Database, deleteOwned, listPage, providerTable, usersText } from '@tutti/storage'
import { type Actor, tenantOf, tenantScope } from '../actor.ts'
import type { Sealed } from '../encryption/index.ts'
import { listScope } from '../list-scope.ts'
import { checkNewVisibility, claimId, creationOf, getItem, lockOwned, requireOwned } from '../owned.ts'
import { insertProvider, providerResource, secretsOf, updateProvider } from './queries.ts'
import { openProvider, tryProvider } from './read.ts'

type Item = Readonly<Record<string, unknown>>

export async function listProviders(actor: Actor, list: ListQuery): Promise<ListAnswer> {
  const scope = await listScope(actor, list, 'secrets_provider_list')
  return listPage(actor.services.db, providerResource, list, scope).map((item) => shown(actor, item))
}

/** @throws not_found_error */
export const getProvider = async (actor: Actor, name: string, include?: readonly string[]) =>
  shown(actor, await getItem(actor, providerResource, name, include))

/** What it takes to log in elsewhere is for few. */
function shown(actor: Actor, item: Item): Item {
  if (item.connection_parameters == null) return item
  const parameters = actor.rights.holds('secrets_provider_credentials')
    ? JSON.parse(actor.services.keys.open(String(item.connection_parameters)))
    : null
  return { ...item, connection_parameters: parameters }
}

/** The provider's row where the caller sees it. @throws not_found_error */
export const requireProvider = (actor: Actor, db: Database, name: string) =>
  requireOwned<{ type: string; connection_parameters: Sealed | null }>(actor, db, providerTable, name, [
    'type',
    'connection_parameters',
  ])

/** Returns its name. @throws bad_parameters_error, conflict_error, forbidden_error */
export async function createProvider(
  actor: Actor,
  transaction: Transaction,
  body: RouteBody<'secretsProviders.create'>,
): Promise<string> {
  const { name, type } = body
  if (name == null) throw missingBodyField('name')
  if (type == null) throw missingBodyField('type')
  checkIdentifier('name', name)
  checkType(type)
  const visibility = parseCreateVisibility(body)
  const creation = await creationOf(actor, transaction, body)
  await claimId(actor, transaction, providerTable, name, visibility)
  await insertProvider(transaction, {
    tenant_id: tenantOf(actor).id,
    name,
    type,
    visibility,
    connection_parameters: sealed(actor, body.connection_parameters) ?? null,
    ...creation,
  })
  return name
}

/**
 * Whether the provider can be reached: one that exists, or one that the request describes. Stored parameters are never
 * mixed with given ones, or a stored token could be sent to an address of the caller's choice.
 *
 * @throws secrets_provider_error and others
 */
export async function testProvider(
  actor: Actor,
  { name, type, connection_parameters: parameters }: RouteBody<'secretsProviders.create'>,
): Promise<void> {
  const { services } = actor
  // Whoever names a provider that is stored may leave the type empty.
  if (type != null && type !== '') {
    checkType(type)
    return tryProvider(services, { name: name ?? undefined, type, parameters: parameters ?? {} })
  }
  if (name == null) throw missingBodyField('name')
  const stored = await requireProvider(actor, services.db, name)
  return tryProvider(
    services,
    parameters == null
      ? openProvider(services, { ...stored, name })
      : { name, type: stored.type, parameters },
  )
}

/** @throws bad_parameters_error, conflict_error, forbidden_error, illegal_action_error, not_found_error */
export async function changeProvider(
  actor: Actor,
  transaction: Transaction,
  name: string,
  body: RouteBody<'secretsProviders.update'>,
): Promise<void> {
  if (Object.keys(body).length === 0) throw emptyUpdate()
  const { type } = body
  if (type != null) checkType(type)
  const visibility = parseGivenVisibility(body)
  const provider = await lockOwned(actor, transaction, providerTable, name)
  if (visibility !== undefined) {
    await checkNewVisibility(actor, transaction, providerTable, provider, visibility)
  }
  const parameters = sealed(actor, body.connection_parameters)
  await updateProvider(transaction, provider.tenant_id, name, {
    ...(type != null && { type }),
    ...(visibility !== undefined && { visibility }),
    ...(parameters !== undefined && { connection_parameters: parameters }),
  })
}

/** @throws dependent_exists_error while secrets use it, illegal_action_error, not_found_error */
export async function removeProvider(actor: Actor, transaction: Transaction, name: string): Promise<void> {
  const provider = await lockOwned(actor, transaction, providerTable, name)
  const secrets = await secretsOf(transaction, tenantScope(actor), provider.tenant_id, name)
  if (secrets.total > 0) {
    throw new ApiError(
      'dependent_exists_error',
      `Can't delete secrets provider ${name} - There are secrets that use it: ${usersText(secrets)}`,
    )
  }
  await deleteOwned(transaction, providerTable, provider)
}

function checkType(type: string): void {
  if (secretsProviderTypes.some((known) => known === type)) return
  throw badParameter(
    `Invalid secrets provider type: \`${type}\`. Valid types are: ${wireList(secretsProviderTypes)}`,
  )
}

const sealed = ({ services }: Actor, parameters: Item | null | undefined) =>
  parameters == null ? undefined : services.keys.seal(JSON.stringify(parameters))
