import { ApiError } from '@tutti/api'
import type { Sealed } from '../encryption/index.ts'
import type { Services } from '../services.ts'
import { managerConnection, vaultConnection } from './connection.ts'
import { readManager, testManager } from './manager.ts'
import { type Named, providerError } from './provider-error.ts'
import type { SecretRequest } from './secret-request.ts'
import { readVault, testVault } from './vault.ts'

/** A provider, and how to log in there. */
export type Provider = Named & { readonly parameters: Readonly<Record<string, unknown>> }

export const openProvider = (
  { keys }: Pick<Services, 'keys'>,
  { connection_parameters: sealed, ...named }: Named & { readonly connection_parameters: Sealed | null },
): Provider => ({ ...named, parameters: sealed === null ? {} : JSON.parse(keys.open(sealed)) })

/**
 * The text of a secret that another system keeps; what is no text there is given as JSON. Nothing is remembered: a
 * value that is changed or withdrawn there is so here at once.
 *
 * @throws secrets_provider_error, secrets_provider_unavailable_error
 */
export async function readFromProvider(
  services: Services,
  provider: Provider,
  wanted: SecretRequest,
): Promise<string> {
  const value = await read(services, provider, wanted)
  return typeof value === 'string' ? value : JSON.stringify(value)
}

async function read(services: Services, provider: Provider, wanted: SecretRequest): Promise<unknown> {
  const { type, parameters } = provider
  if (type === 'vault') return readVault(services, provider, vaultConnection(provider, parameters), wanted)
  if (type === 'cloudify') {
    // Two managers that ask each other, or one that asks itself, would never come to an end.
    if (wanted.isForManager)
      throw providerError(provider, 'is not asked for a secret that another manager asks for')
    return readManager(services, provider, managerConnection(provider, parameters), wanted)
  }
  throw providerError(provider, 'keeps no values of its own')
}

/** Whether the provider can be reached and lets us in; what is local always can. @throws secrets_provider_error */
export async function tryProvider(services: Services, provider: Provider): Promise<void> {
  const { type, parameters } = provider
  try {
    if (type === 'vault') await testVault(services, provider, vaultConnection(provider, parameters))
    if (type === 'cloudify') await testManager(services, provider, managerConnection(provider, parameters))
  } catch (error) {
    // The question was whether it can be reached: that it cannot is the answer to it, and no failure of a gateway.
    if (!(error instanceof ApiError) || error.code !== 'secrets_provider_unavailable_error') throw error
    throw new ApiError('secrets_provider_error', error.message)
  }
}
