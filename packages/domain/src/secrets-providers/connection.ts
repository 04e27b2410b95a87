import { type Named, providerError } from './provider-error.ts'

type Json = Readonly<Record<string, unknown>>

/** How to reach Vault and log in there (docs/reference/secrets.md, "Secrets providers"). */
export type VaultConnection = {
  readonly url: URL
  readonly token: string
  /** Where values are unless a secret says otherwise. */
  readonly path: string | undefined
}

/** The same for another manager. */
export type ManagerConnection = {
  readonly url: URL
  readonly username: string
  readonly password: string
  readonly tenant: string
}

/** @throws secrets_provider_error */
export function vaultConnection(provider: Named, parameters: Json): VaultConnection {
  return {
    url: urlOf(provider, 'url', needed(provider, parameters, 'url')),
    token: inHeader(provider, 'token', needed(provider, parameters, 'token')),
    path: textOf(provider, 'connection parameter path', parameters.path),
  }
}

/** @throws secrets_provider_error */
export function managerConnection(provider: Named, parameters: Json): ManagerConnection {
  const host = needed(provider, parameters, 'host')
  const isBareIPv6 = /^[\da-f:]*:[\da-f:]*:[\da-f.:]*$/i.test(host)
  // A host without a scheme is asked over TLS: a password goes there.
  const address = host.includes('://') ? host : `https://${isBareIPv6 ? `[${host}]` : host}`
  return {
    url: urlOf(provider, 'host', address),
    username: needed(provider, parameters, 'username'),
    password: needed(provider, parameters, 'password'),
    tenant: inHeader(provider, 'tenant', needed(provider, parameters, 'tenant')),
  }
}

/** @throws secrets_provider_error for what is there but no text */
export function textOf(provider: Named, what: string, value: unknown): string | undefined {
  if (value === undefined || value === null || value === '') return undefined
  if (typeof value === 'string') return value
  throw providerError(provider, `cannot be used: its ${what} is not a text`)
}

function needed(provider: Named, parameters: Json, name: string): string {
  const text = textOf(provider, `connection parameter ${name}`, parameters[name])
  if (text !== undefined) return text
  throw providerError(provider, `cannot be used: it has no connection parameter ${name}`)
}

function inHeader(provider: Named, name: string, text: string): string {
  if (/^[\x21-\x7e]+$/.test(text)) return text
  throw providerError(
    provider,
    `cannot be used: its connection parameter ${name} holds other characters than visible ASCII ones`,
  )
}

function urlOf(provider: Named, name: string, text: string): URL {
  const wrong = (why: string) =>
    providerError(provider, `cannot be used: its connection parameter ${name} ${why}`)
  if (!URL.canParse(text)) throw wrong('is not an address')
  const url = new URL(text)
  if (url.protocol !== 'http:' && url.protocol !== 'https:') throw wrong('is no http or https address')
  if (url.username !== '' || url.password !== '') throw wrong('holds a user name or a password')
  if (url.search !== '' || url.hash !== '') throw wrong('holds a query or a fragment')
  return url
}
