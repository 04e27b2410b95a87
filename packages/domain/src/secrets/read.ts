import { openProvider, readFromProvider } from '../secrets-providers/index.ts'
import type { Services } from '../services.ts'
import { findProvider, type KeptValue } from './queries.ts'

/** From here, or from wherever else it is kept. @throws secrets_provider_error, secrets_provider_unavailable_error */
export async function openValue(
  services: Services,
  secret: KeptValue & { readonly id: string },
  { isForManager = false }: { readonly isForManager?: boolean } = {},
): Promise<string> {
  const { provider_tenant_id: tenantId, provider_name: name, provider_options: options } = secret
  const provider =
    tenantId === null || name === null ? undefined : await findProvider(services.db, { tenantId, name })
  if (provider === undefined || provider.type === 'local') return services.keys.open(secret.value)
  const ask = () =>
    readFromProvider(services, openProvider(services, provider), { key: secret.id, options, isForManager })
  const { providerAnswers } = services
  return providerAnswers?.(JSON.stringify([tenantId, name, secret.id, options]), ask) ?? ask()
}
