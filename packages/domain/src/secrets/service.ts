import {
  ApiError,
  badParameter,
  checkIdentifier,
  emptyUpdate,
  type FilterRule,
  type ListQuery,
  notFound,
  parseCreateVisibility,
  parseGivenVisibility,
  parseSetVisibility,
  pickIncluded,
  type RouteBody,
  secretFields,
  secretItemFields,
  wireTypeOf,
  wrongType,
} from '@tutti/api'
import {
  type Database,
  deleteOwned,
  findOwned,
  listPage,
  lockId,
  type OwnedRow,
  secretTable,
  type Transaction,
} from '@tutti/storage'
import { type Actor, isHiddenFrom, tenantOf } from '../actor.ts'
import { tokenOf } from '../encryption/index.ts'
import { listScope } from '../list-scope.ts'
import {
  administers,
  checkNewOwner,
  checkNewVisibility,
  checkOwnTenant,
  claimId,
  creationOf,
  getItem,
  lockOwned,
  requireOwned,
} from '../owned.ts'
import { requireProvider } from '../secrets-providers/index.ts'
import {
  insertSecret,
  type ProviderLink,
  type SecretState,
  secretResource,
  stateColumns,
  updateSecret,
} from './queries.ts'
import { openValue } from './read.ts'
import { checkSchema, fitted } from './schema-thread.ts'

/** Lists show no values. */
export async function listSecrets(actor: Actor, query: ListQuery, rules?: readonly FilterRule[]) {
  const scope = await listScope(actor, query, 'secret_list')
  const include = query.include ?? Object.keys(secretItemFields.fields)
  return listPage(actor.services.db, secretResource, { ...query, include }, scope, [], rules)
}

/** Only the creator and the administrators of its tenant see a hidden value (docs/reference/secrets.md, "Reading"). */
export async function hidesValue(
  actor: Actor,
  secret: Pick<OwnedRow, 'tenant_id' | 'created_by'> & Pick<SecretState, 'is_hidden_value'>,
): Promise<boolean> {
  if (!secret.is_hidden_value || secret.created_by === actor.caller.username) return false
  return !(await administers(actor, secret.tenant_id))
}

/** @throws forbidden_error: what somebody may not read he may not replace or delete either */
export async function checkNotHidden(actor: Actor, secret: OwnedRow & SecretState): Promise<void> {
  if (!(await hidesValue(actor, secret))) return
  throw new ApiError(
    'forbidden_error',
    `User \`${actor.caller.username}\` is not permitted to modify the hidden secret \`${secret.id}\``,
  )
}

type SecretReading = {
  readonly include: readonly string[] | undefined
  readonly skipsValue: boolean
  /** Another manager asks, which this one must not ask in its turn. */
  readonly isForManager: boolean
}

/**
 * With its value, unless that is hidden from the caller or not asked for.
 *
 * @throws not_found_error, secrets_provider_error
 */
export async function getSecret(
  actor: Actor,
  key: string,
  { include, skipsValue, isForManager }: SecretReading,
) {
  const secret = await requireOwned<SecretState>(actor, actor.services.db, secretTable, key, stateColumns)
  const item = await getItem(actor, secretResource, key, include)
  if (item.value === undefined) return item
  if (skipsValue || (await hidesValue(actor, secret))) return { ...item, value: '' }
  const text = await openValue(actor.services, secret, { isForManager })
  return { ...item, value: secret.schema === null ? text : await meant(secret, text) }
}

/** What a text means by the schema. One that is kept elsewhere may be changed there to what does not fit. */
async function meant({ provider_name: provider, schema }: SecretState, text: string): Promise<unknown> {
  return JSON.parse(provider === null || schema === null ? text : await fitted(text, schema))
}

/** Answers of writes show the ciphertext, as the reference's do. */
export async function showWritten(actor: Actor, key: string, include: readonly string[] | undefined) {
  const item = await getItem(actor, secretResource, key, Object.keys(secretFields.fields))
  return pickIncluded({ ...item, value: tokenOf(String(item.value)) }, include)
}

/** Creates the secret; or, when it exists and `update_if_exists`, gives it another value. */
export async function putSecret(
  actor: Actor,
  transaction: Transaction,
  key: string,
  body: RouteBody<'secrets.create'>,
): Promise<void> {
  checkIdentifier('key', key)
  const visibility = parseCreateVisibility(body)
  const schema = body.schema ?? null
  if (schema !== null) await checkSchema(schema)
  const { keys } = actor.services
  const provider = await providerOf(actor, transaction, body.provider_name)
  await lockId(transaction, secretTable, key)
  const existing = await findOwned<SecretState>(
    transaction,
    secretTable,
    tenantOf(actor).id,
    key,
    stateColumns,
  )
  if (existing !== undefined && body.update_if_exists) {
    if (isHiddenFrom(actor, existing)) throw notFound(secretTable.model, key)
    checkOwnTenant(actor, existing)
    await checkNotHidden(actor, existing)
    const text = await textOf(body.value, existing.schema, existing.provider_name !== null)
    await updateSecret(transaction, existing, {
      value: keys.seal(text),
      ...(body.provider_options !== undefined && { provider_options: body.provider_options }),
    })
    return
  }
  const creation = await creationOf(actor, transaction, body)
  await claimId(actor, transaction, secretTable, key, visibility)
  await insertSecret(transaction, {
    tenant_id: tenantOf(actor).id,
    key,
    value: keys.seal(await textOf(body.value, schema, provider !== undefined)),
    visibility,
    is_hidden_value: body.is_hidden_value ?? false,
    schema,
    ...(provider !== undefined && { provider }),
    provider_options: body.provider_options ?? null,
    ...creation,
  })
}

/** What is stored of a given value. @throws bad_parameters_error, conflict_error */
export async function textOf(
  value: unknown,
  schema: SecretState['schema'],
  hasProvider: boolean,
): Promise<string> {
  const isEmpty = value === null || value === undefined || value === ''
  if (isEmpty && hasProvider) return ''
  if (isEmpty) throw badParameter('The secret value cannot be empty')
  if (schema !== null) return fitted(value, schema)
  if (typeof value === 'string') return value
  throw wrongType('value', 'str', wireTypeOf(value))
}

async function providerOf(
  actor: Actor,
  db: Database,
  name: string | null | undefined,
): Promise<ProviderLink | undefined> {
  if (name == null || name === '') return undefined
  const provider = await requireProvider(actor, db, name)
  return { tenantId: provider.tenant_id, name: provider.id }
}

/** @throws bad_parameters_error, conflict_error, forbidden_error, illegal_action_error, not_found_error */
export async function changeSecret(
  actor: Actor,
  transaction: Transaction,
  key: string,
  body: RouteBody<'secrets.update'>,
): Promise<void> {
  const isChange = Object.values(body).some((value) => value !== null && value !== undefined)
  if (!isChange) throw emptyUpdate()
  const visibility = parseGivenVisibility(body)
  const { keys } = actor.services
  const secret = await lockSecret(actor, transaction, key)
  if (visibility !== undefined) {
    await checkNewVisibility(actor, transaction, secretTable, secret, visibility)
  }
  await checkMayHide(actor, secret, body.is_hidden_value)
  if (body.creator != null) await checkNewOwner(actor, transaction, body.creator)
  const provider = await providerOf(actor, transaction, body.provider_name)
  const hasProvider = provider !== undefined || secret.provider_name !== null
  await updateSecret(transaction, secret, {
    ...(body.value != null && { value: keys.seal(await textOf(body.value, secret.schema, hasProvider)) }),
    ...(visibility !== undefined && { visibility }),
    ...(body.is_hidden_value != null && { is_hidden_value: body.is_hidden_value }),
    ...(body.creator != null && { created_by: body.creator }),
    ...(provider !== undefined && { provider }),
    ...(body.provider_options != null && { provider_options: body.provider_options }),
  })
}

/** The row to be changed. @throws not_found_error, illegal_action_error, forbidden_error */
async function lockSecret(actor: Actor, transaction: Transaction, key: string) {
  const secret = await lockOwned<SecretState>(actor, transaction, secretTable, key, stateColumns)
  await checkNotHidden(actor, secret)
  return secret
}

/** Whether a value is hidden is for those to say who could read it hidden. @throws forbidden_error */
async function checkMayHide(
  actor: Actor,
  secret: OwnedRow & SecretState,
  wanted: boolean | null | undefined,
): Promise<void> {
  if (wanted == null || wanted === secret.is_hidden_value) return
  await checkNotHidden(actor, { ...secret, is_hidden_value: true })
}

/** @throws forbidden_error, illegal_action_error, not_found_error */
export async function removeSecret(actor: Actor, transaction: Transaction, key: string): Promise<void> {
  await deleteOwned(transaction, secretTable, await lockSecret(actor, transaction, key))
}

/**
 * Only ever wider.
 *
 * @throws bad_parameters_error, conflict_error, forbidden_error, illegal_action_error, not_found_error
 */
export async function setSecretVisibility(
  actor: Actor,
  transaction: Transaction,
  key: string,
  visibility: string,
): Promise<void> {
  const wanted = parseSetVisibility(visibility)
  const secret = await lockSecret(actor, transaction, key)
  await checkNewVisibility(actor, transaction, secretTable, secret, wanted)
  await updateSecret(transaction, secret, { visibility: wanted })
}
