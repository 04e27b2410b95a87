import { randomBytes } from 'node:crypto'
import {
  badParameter,
  isVisibility,
  type ListQuery,
  pickIncluded,
  type Reading,
  type RouteQuery,
} from '@tutti/api'
import { listPage, type Scope } from '@tutti/storage'
import type { Actor } from '../actor.ts'
import { encryptFernet, keyOfPassphrase } from '../encryption/index.ts'
import { listScope } from '../list-scope.ts'
import { secretResource, tenantsNamed } from './queries.ts'
import { hidesValue } from './service.ts'

/**
 * The secrets of the tenant, or with `_all_tenants` of all in which the caller may export, with their values; hidden
 * ones that the caller may not read are left out (docs/reference/secrets.md, "Export").
 */
export async function exportSecrets(
  actor: Actor,
  options: RouteQuery<'secrets.export'>,
  include: readonly string[] | undefined,
  reading: Reading,
) {
  const { visibility, _passphrase: passphrase } = options
  if (visibility !== undefined && !isVisibility(visibility)) {
    throw badParameter(`Invalid visibility: \`${visibility}\``)
  }
  const query: ListQuery = {
    page: { size: 0, offset: 0 },
    getAllResults: true,
    sort: [{ by: 'field', key: 'created_at', direction: 'ascending' }],
    filters: visibility === undefined ? [] : [{ field: 'visibility', values: [visibility] }],
    ranges: [],
    include: undefined,
    search: options._search?.normalize('NFKC') || undefined,
    searchName: undefined,
    allTenants: options._all_tenants ?? false,
    filterId: undefined,
  }
  // What other tenants share is theirs to export.
  const scope: Scope = { ...(await listScope(actor, query, 'secret_export')), globalTenantIds: [] }
  const items = await listPage(actor.services.db, secretResource, query, scope).items(reading)
  const tenants = await tenantsNamed(actor.services.db, [
    ...new Set(items.map((item) => String(item.tenant_name))),
  ])
  const tenantIds = new Map(tenants.map(({ id, name }) => [name, id]))
  const key = passphrase === undefined || passphrase === '' ? undefined : await keyOfPassphrase(passphrase)
  const withMetadata = options._include_metadata ?? false
  const exported: unknown[] = []
  for (const item of items) {
    const isHidden = await hidesValue(actor, {
      tenant_id: tenantIds.get(String(item.tenant_name)) ?? -1,
      created_by: String(item.created_by),
      is_hidden_value: item.is_hidden_value === true,
    })
    if (isHidden) continue
    const entry = {
      key: item.key,
      value: protectedText(actor.services.keys.open(String(item.value)), key),
      visibility: item.visibility,
      tenant_name: item.tenant_name,
      is_hidden_value: item.is_hidden_value,
      encrypted: key !== undefined,
      provider: item.provider_name,
      provider_options: item.provider_options,
      ...(withMetadata && {
        creator: item.created_by,
        created_at: item.created_at,
        updated_at: item.updated_at,
      }),
    }
    exported.push(pickIncluded(entry, include))
  }
  return exported
}

const protectedText = (text: string, key: Buffer | undefined): string =>
  key === undefined
    ? text
    : encryptFernet(key, text, { seconds: Math.floor(Date.now() / 1000), iv: randomBytes(16) })
