import type { Services } from '../services.ts'
import { type Answer, type Ask, member, openAsk } from './ask.ts'
import { textOf, type VaultConnection } from './connection.ts'
import { type Named, providerError } from './provider-error.ts'
import type { SecretRequest } from './secret-request.ts'

/**
 * The entry named `key` of what HashiCorp Vault keeps at a path of a key-value engine of either version. The path is as
 * `vault kv get` takes it, such as `secret/app`; `secret/data/app` means the same in version 2.
 *
 * @throws secrets_provider_error, secrets_provider_unavailable_error
 */
export async function readVault(
  services: Services,
  provider: Named,
  connection: VaultConnection,
  { key, options }: SecretRequest,
): Promise<unknown> {
  const given = textOf(provider, 'option path', member(options, 'path')) ?? connection.path
  if (given === undefined) {
    throw providerError(
      provider,
      `cannot be asked for the secret ${key}: neither the provider nor the secret says at which path it is`,
      'Give the provider the connection parameter path, or the secret the provider option path',
    )
  }
  const path = segmentsOf(provider, given)
  const ask = openAsk(services, provider, connection.url)
  const mount = await mountOf(provider, ask, connection, path)
  const rest = path.slice(mount.depth)
  const isVersion2 = mount.version === 2
  const place = isVersion2 && rest[0] !== 'data' ? ['data', ...rest] : rest
  const answer = await ask(['v1', ...path.slice(0, mount.depth), ...place], {
    headers: headersOf(connection),
  })
  const data = member(checked(provider, path, answer), 'data')
  const value = member(isVersion2 ? member(data, 'data') : data, key)
  if (value !== undefined && value !== null) return value
  throw providerError(
    provider,
    `has no value for the secret ${key}: at the path ${path.join('/')} there is no entry of that name`,
  )
}

/** Whether Vault answers and knows the token. @throws secrets_provider_error, secrets_provider_unavailable_error */
export async function testVault(
  services: Services,
  provider: Named,
  connection: VaultConnection,
): Promise<void> {
  const ask = openAsk(services, provider, connection.url)
  const path = ['auth', 'token', 'lookup-self']
  checked(provider, path, await ask(['v1', ...path], { headers: headersOf(connection) }))
  if (connection.path !== undefined) {
    await mountOf(provider, ask, connection, segmentsOf(provider, connection.path))
  }
}

const headersOf = ({ token }: VaultConnection) => ({ 'x-vault-token': token, 'x-vault-request': 'true' })

/**
 * The engine that a path leads to, as Vault's own command line asks for it. Only key-value engines are read from:
 * whoever makes a secret chooses its path, and `auth/token/lookup-self` would show him the token of the provider.
 */
async function mountOf(
  provider: Named,
  ask: Ask,
  connection: VaultConnection,
  path: readonly string[],
): Promise<{ readonly version: 1 | 2; readonly depth: number }> {
  const answer = await ask(['v1', 'sys', 'internal', 'ui', 'mounts', ...path], {
    headers: headersOf(connection),
  })
  const mount = member(checked(provider, path, answer), 'data')
  const [type, mountPath] = [member(mount, 'type'), member(mount, 'path')]
  const at = typeof mountPath === 'string' ? mountPath.split('/').filter((segment) => segment !== '') : []
  const leadsThere = at.length > 0 && at.every((segment, index) => segment === path[index])
  if (!leadsThere || (type !== 'kv' && type !== 'generic')) {
    throw providerError(
      provider,
      `keeps no values at the path ${path.join('/')}: that is not in a key-value engine of Vault`,
    )
  }
  return { version: member(member(mount, 'options'), 'version') === '2' ? 2 : 1, depth: at.length }
}

function segmentsOf(provider: Named, path: string): readonly string[] {
  const segments = path.replace(/^\/+|\/+$/g, '').split('/')
  if (!segments.some((segment) => segment === '' || segment === '.' || segment === '..')) return segments
  throw providerError(
    provider,
    `cannot be asked for the path ${JSON.stringify(path)}: it is no path in Vault`,
  )
}

/** The body of an answer that is one of Vault's. @throws secrets_provider_error */
function checked(provider: Named, path: readonly string[], { status, body }: Answer): unknown {
  const at = path.join('/')
  if (status === 403 || status === 401) {
    throw providerError(
      provider,
      `refuses the token, or the token may not read ${at} (status ${status})`,
      'Look whether the token has expired, and whether its policies allow that path',
    )
  }
  if (status === 404) throw providerError(provider, `has nothing at the path ${at} (status 404)`)
  if (status !== 200) throw providerError(provider, `does not give ${at}: it answered with status ${status}`)
  if (member(body, 'data') != null) return body
  throw providerError(provider, `does not give ${at}: its answer is not one of Vault's`)
}
