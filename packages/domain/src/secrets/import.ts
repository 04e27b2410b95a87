import {
  ApiError,
  badParameter,
  checkIdentifier,
  isVisibility,
  notFound,
  parseTimestamp,
  type RouteBody,
  type Visibility,
  wireList,
} from '@tutti/api'
import { findOwned, holdUser, lockId, providerTable, secretTable, type Transaction } from '@tutti/storage'
import type { Actor } from '../actor.ts'
import { decryptFernet, keyOfPassphrase } from '../encryption/index.ts'
import { listScope } from '../list-scope.ts'
import { administers, checkMayBeGlobal, checkOnlyOne } from '../owned.ts'
import { insertSecret, type SecretState, stateColumns, tenantsNamed, updateSecret } from './queries.ts'
import { checkNotHidden, textOf } from './service.ts'

/** What is wrong with an entry, by the names that the command line knows (docs/reference/secrets.md, "Import"). */
type EntryErrors = Record<string, string | readonly string[]>

type Tenant = { readonly id: number; readonly name: string }

/** What every entry is read with. */
type Import = {
  readonly actor: Actor
  /** Where the caller may create secrets, by the names that entries use. */
  readonly tenantOf: (name: string) => Tenant | undefined
  readonly passphraseKey: Buffer | undefined
  readonly overrides: boolean
}

/**
 * Imports every entry that is right, each in a transaction of its own: one that is wrong, or whose key is taken, keeps
 * no other from landing.
 */
export async function importSecrets(actor: Actor, body: RouteBody<'secrets.import'>) {
  const { passphrase } = body
  const given: Import = {
    actor,
    tenantOf: await destinations(actor, body),
    passphraseKey:
      passphrase === undefined || passphrase === null || passphrase === ''
        ? undefined
        : await keyOfPassphrase(passphrase),
    overrides: body.override_collisions,
  }
  const collisions: Record<string, string[]> = {}
  const secretsErrors: Record<string, EntryErrors> = {}
  for (const [index, entry] of body.secrets_list.entries()) {
    const outcome = await importEntry(given, entry)
    if ('errors' in outcome) secretsErrors[String(index)] = outcome.errors
    else if (outcome.collides) {
      collisions[outcome.tenant] = [...(collisions[outcome.tenant] ?? []), outcome.key]
    }
  }
  return { colliding_secrets: collisions, secrets_errors: secretsErrors }
}

/** @throws bad_parameters_error when the map leads to tenants that are not there */
async function destinations(actor: Actor, body: RouteBody<'secrets.import'>): Promise<Import['tenantOf']> {
  const { db } = actor.services
  const map = new Map(Object.entries({ ...body.tenant_map_dict, ...body.tenant_map }))
  const known = await tenantsNamed(db, [...map.values()])
  const missing = [...map.values()].filter((name) => !known.some((tenant) => tenant.name === name))
  if (missing.length > 0) {
    throw badParameter(
      `The following destination tenants do not exist on the Manager: ${wireList([...new Set(missing)])}`,
    )
  }
  const named = body.secrets_list.flatMap((entry) => {
    const name = (entry as Readonly<Record<string, unknown>> | null)?.tenant_name
    return typeof name === 'string' ? [map.get(name) ?? name] : []
  })
  const { tenantIds } = await listScope(actor, { allTenants: true }, 'secret_create')
  const allowed = new Set(tenantIds)
  const tenants = await tenantsNamed(db, [...new Set(named)])
  const byName = new Map(tenants.filter(({ id }) => allowed.has(id)).map((tenant) => [tenant.name, tenant]))
  return (name) => byName.get(map.get(name) ?? name)
}

type Outcome =
  | { readonly errors: EntryErrors }
  | { readonly tenant: string; readonly key: string; readonly collides: boolean }

async function importEntry(given: Import, entry: unknown): Promise<Outcome> {
  const secret = await readEntry(given, entry)
  if ('errors' in secret) return secret
  try {
    return await given.actor.services.db
      .transaction()
      .execute((transaction) => store(given, transaction, secret))
  } catch (error) {
    if (!(error instanceof ApiError)) throw error
    // Refused for how widely it would be seen, or for what is there already under its key.
    return { errors: { [error.code === 'conflict_error' ? 'visibility' : 'permission']: error.message } }
  }
}

type Entry = {
  readonly key: string
  readonly text: string
  readonly tenant: Tenant
  readonly visibility: Visibility
  readonly isHidden: boolean
  readonly provider: { readonly tenantId: number; readonly name: string } | undefined
  readonly providerOptions: unknown
  readonly creator: string | undefined
  readonly createdAt: Date | undefined
  readonly updatedAt: Date | undefined
}

const requiredFields = ['key', 'is_hidden_value', 'visibility', 'tenant_name']

async function readEntry(given: Import, entry: unknown): Promise<Entry | { readonly errors: EntryErrors }> {
  const errors: EntryErrors = {}
  const fields: Readonly<Record<string, unknown>> =
    typeof entry === 'object' && entry !== null && !Array.isArray(entry) ? { ...entry } : {}
  const { key, visibility, tenant_name: tenantName, is_hidden_value: isHidden, encrypted } = fields
  const needed = fields.provider == null ? [...requiredFields, 'value', 'encrypted'] : requiredFields
  const missing = needed.filter((name) => fields[name] === undefined || fields[name] === null)
  if (missing.length > 0) errors['missing secret fields'] = missing
  checkKey(key, errors)
  if (isHidden != null && typeof isHidden !== 'boolean') errors.is_hidden_value = 'Not boolean'
  if (encrypted != null && typeof encrypted !== 'boolean') errors.encrypted = 'Not boolean'
  if (visibility != null && !isVisibility(visibility)) {
    errors.visibility = `Invalid visibility: \`${visibility}\`. Valid visibility's values are: ['private', 'tenant', 'global']`
  }
  const tenant = typeof tenantName === 'string' ? given.tenantOf(tenantName) : undefined
  if (tenantName != null && tenant === undefined) {
    errors.tenant_name = `The tenant \`${String(tenantName)}\` does not exist, or you may not create secrets in it`
  }
  const text = readValue(given, fields, errors)
  const provider = await readProvider(given, tenant, fields.provider, errors)
  const metadata = await readMetadata(given, fields, errors)
  const isRight =
    Object.keys(errors).length === 0 &&
    typeof key === 'string' &&
    tenant !== undefined &&
    isVisibility(visibility)
  if (!isRight) return { errors }
  const providerOptions = fields.provider_options ?? null
  return {
    key,
    text,
    tenant,
    visibility,
    isHidden: isHidden === true,
    provider,
    providerOptions,
    ...metadata,
  }
}

function checkKey(key: unknown, errors: EntryErrors): void {
  if (key === undefined || key === null) return
  try {
    checkIdentifier('key', String(key))
    if (typeof key !== 'string') errors.key = 'Not a string'
  } catch (error) {
    if (!(error instanceof ApiError)) throw error
    errors.key = error.message
  }
}

function readValue(
  { passphraseKey }: Import,
  { value, encrypted, provider }: Readonly<Record<string, unknown>>,
  errors: EntryErrors,
): string {
  if (value == null) return ''
  if (typeof value !== 'string') {
    errors.value = 'Not a string'
    return ''
  }
  if (value === '' && provider == null) errors.value = 'Empty'
  if (encrypted !== true) return value
  const text = passphraseKey && decryptFernet(passphraseKey, value)
  if (passphraseKey === undefined) {
    errors['No passphrase'] = 'The secret is encrypted, but the import has no passphrase'
  } else if (text === undefined) {
    errors.encrypted = 'The passphrase is not the one that the secret was encrypted with'
  }
  return text ?? ''
}

/** One that secrets of the destination tenant may be kept by: its own or a global one, which the caller sees. */
async function readProvider(
  { actor }: Import,
  tenant: Tenant | undefined,
  given: unknown,
  errors: EntryErrors,
) {
  if (given === undefined || given === null || tenant === undefined) return undefined
  const name = String(typeof given === 'string' ? given : (given as { name?: unknown }).name)
  const provider = await findOwned(actor.services.db, providerTable, tenant.id, name)
  const isSomebodys = provider?.visibility === 'private' && provider.created_by !== actor.caller.username
  if (provider === undefined || (isSomebodys && !(await administers(actor, tenant.id)))) {
    errors.provider = notFound(providerTable.model, name).message
    return undefined
  }
  return { tenantId: provider.tenant_id, name: provider.id }
}

/** Who created it and when, as an export with metadata says it; for those who may say so. */
async function readMetadata(
  { actor }: Import,
  { creator, created_at: createdAt, updated_at: updatedAt }: Readonly<Record<string, unknown>>,
  errors: EntryErrors,
) {
  const time = (given: unknown): Date | undefined => {
    if (given == null) return undefined
    if (!actor.rights.holds('set_timestamp')) {
      errors.timestamp = `User ${actor.caller.username} is not permitted to set timestamps`
      return undefined
    }
    try {
      return parseTimestamp(String(given))
    } catch (error) {
      if (!(error instanceof ApiError)) throw error
      errors.timestamp = error.message
      return undefined
    }
  }
  if (creator != null) {
    if (!actor.rights.holds('set_owner')) {
      errors.creator = `User ${actor.caller.username} is not permitted to set the creator`
    } else if (!(await isUser(actor, String(creator)))) {
      errors.creator_valid = `User ${String(creator)} does not exist`
    }
  }
  return {
    creator: creator == null ? undefined : String(creator),
    createdAt: time(createdAt),
    updatedAt: time(updatedAt),
  }
}

async function store(given: Import, transaction: Transaction, secret: Entry): Promise<Outcome> {
  const { actor, overrides } = given
  const { keys } = actor.services
  const { key, tenant, visibility } = secret
  const outcome = { tenant: tenant.name, key }
  const place = { tenant_id: tenant.id, tenant_name: tenant.name, id: key }
  await lockId(transaction, secretTable, key)
  const existing = await findOwned<SecretState>(transaction, secretTable, tenant.id, key, stateColumns)
  const change = {
    value: keys.seal(secret.text),
    visibility,
    is_hidden_value: secret.isHidden,
    ...(secret.provider !== undefined && {
      provider: secret.provider,
      provider_options: secret.providerOptions,
    }),
  }
  if (existing !== undefined) {
    // A global one of another tenant is never this tenant's to replace.
    if (!overrides || existing.tenant_id !== tenant.id) return { ...outcome, collides: true }
    const isSomebodys = existing.visibility === 'private' && existing.created_by !== actor.caller.username
    if (isSomebodys && !(await administers(actor, tenant.id))) return { ...outcome, collides: true }
    await checkNotHidden(actor, existing)
    if (visibility !== existing.visibility) {
      checkMayBeGlobal(actor, visibility)
      await checkOnlyOne(transaction, secretTable, place, visibility)
    }
    const text = await replacing(existing, secret)
    if (typeof text !== 'string') return { errors: text }
    await updateSecret(transaction, existing, { ...change, value: keys.seal(text) })
    return { ...outcome, collides: true }
  }
  checkMayBeGlobal(actor, visibility)
  await checkOnlyOne(transaction, secretTable, place, visibility)
  const owner = secret.creator ?? actor.caller.username
  // He may have been deleted since the entry was looked at.
  if (!(await holdUser(transaction, owner)))
    return { errors: { creator_valid: `User ${owner} does not exist` } }
  await insertSecret(transaction, {
    ...change,
    tenant_id: tenant.id,
    key,
    created_by: owner,
    ...(secret.createdAt !== undefined && { created_at: secret.createdAt }),
    ...(secret.updatedAt !== undefined && { updated_at: secret.updatedAt }),
  })
  return { ...outcome, collides: false }
}

/** The text as it is kept under the schema of what is there, or what is wrong with it. */
async function replacing(
  { schema, provider_name }: SecretState,
  { text, provider }: Entry,
): Promise<string | EntryErrors> {
  try {
    return await textOf(text, schema, provider !== undefined || provider_name !== null)
  } catch (error) {
    if (!(error instanceof ApiError)) throw error
    return { value: error.message }
  }
}

const isUser = ({ services }: Actor, username: string): Promise<boolean> =>
  services.db.transaction().execute((transaction) => holdUser(transaction, username))
