import { checkIdentifier } from '@tutti/api'
import type { Services } from '../services.ts'
import { type Answer, member, openAsk } from './ask.ts'
import { type ManagerConnection, textOf } from './connection.ts'
import { type Named, providerError } from './provider-error.ts'
import type { SecretRequest } from './secret-request.ts'

/** The header by which a manager says that it asks for a secret of its own. */
export const askingManager = 'x-secrets-provider'

/**
 * The value of a secret of another manager, of the same name unless an option gives another one.
 *
 * @throws secrets_provider_error, secrets_provider_unavailable_error
 */
export async function readManager(
  services: Services,
  provider: Named,
  connection: ManagerConnection,
  { key, options }: SecretRequest,
): Promise<unknown> {
  const name = textOf(provider, 'option name', member(options, 'name')) ?? key
  checkIdentifier('name', name)
  const ask = openAsk(services, provider, connection.url)
  const answer = await ask(['api', 'v3.1', 'secrets', name], { headers: headersOf(connection) })
  if (answer.status === 404) {
    throw providerError(provider, `has no secret ${name} in its tenant (status 404)`)
  }
  const value = member(checked(provider, answer), 'value')
  if (value === undefined || value === null) {
    throw providerError(provider, `does not give the secret ${name}: its answer is not one of a manager`)
  }
  if (value !== '') return value
  throw providerError(
    provider,
    `does not show its user the value of the secret ${name}`,
    'Values that are hidden there are shown to their creator and to administrators only',
  )
}

/** Whether it answers and knows user and tenant. @throws secrets_provider_error, secrets_provider_unavailable_error */
export async function testManager(
  services: Services,
  provider: Named,
  connection: ManagerConnection,
): Promise<void> {
  const ask = openAsk(services, provider, connection.url)
  const answer = await ask(['api', 'v3.1', 'secrets'], { headers: headersOf(connection), query: '_size=1' })
  if (Array.isArray(member(checked(provider, answer), 'items'))) return
  throw providerError(provider, 'answers, but not as a manager')
}

const headersOf = ({ username, password, tenant }: ManagerConnection) => ({
  authorization: `Basic ${Buffer.from(`${username}:${password}`).toString('base64')}`,
  tenant,
  [askingManager]: 'true',
})

/** @throws secrets_provider_error */
function checked(provider: Named, { status, body }: Answer): unknown {
  if (status === 200) return body
  if (status === 401) {
    throw providerError(provider, 'refuses the user name or the password (status 401)')
  }
  if (status === 403) {
    throw providerError(provider, 'does not let its user read secrets in its tenant (status 403)')
  }
  throw providerError(provider, `does not give its secrets: it answered with status ${status}`)
}
