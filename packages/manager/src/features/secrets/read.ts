import type { Scope } from '@tutti/storage'
import type { Services } from '../../services.ts'
import { checkReadable } from '../secrets-providers/index.ts'
import { findSecretOf, providerType, type SecretState } from './queries.ts'

/** The text of a secret for functions, which may read hidden ones; undefined when the scope shows none of that key. */
export async function readSecretValue(
  services: Services,
  scope: Scope,
  key: string,
): Promise<string | undefined> {
  const secret = await findSecretOf(services.db, scope, key)
  return secret && (await openValue(services, secret))
}

/** @throws not_implemented when the value is kept by another system */
export async function openValue(
  { db, keys }: Services,
  secret: Pick<SecretState, 'value' | 'provider_tenant_id' | 'provider_name'>,
): Promise<string> {
  const { provider_tenant_id: tenantId, provider_name: name } = secret
  if (tenantId !== null && name !== null) {
    checkReadable((await providerType(db, { tenantId, name })) ?? 'local')
  }
  return keys.open(secret.value)
}
