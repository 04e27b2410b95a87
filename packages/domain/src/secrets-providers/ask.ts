import { AddressRefused, type AddressRules, FetchRefused, guardedGet, limited } from '@tutti/storage'
import type { Services } from '../services.ts'
import { type Named, providerAway, providerError } from './provider-error.ts'

export type Answer = {
  readonly status: number
  /** What the text means as JSON; undefined when it is none. */
  readonly body: unknown
}

/** Asks one provider; all that is asked with it has to be answered in one span of time. */
export type Ask = (
  segments: readonly string[],
  options: { readonly headers: Readonly<Record<string, string>>; readonly query?: string },
) => Promise<Answer>

/** For all requests that one value takes. */
const timeoutMs = 10_000
const maxBytes = 1024 * 1024

/**
 * Requests by the rules of archive addresses (`guardedGet`), except that a store of secrets may be where archives may
 * not: most are in the private network of the manager. Redirects are not followed: they would carry a token
 * to wherever they lead.
 */
export function openAsk({ settings }: Pick<Services, 'settings'>, provider: Named, base: URL): Ask {
  const signal = AbortSignal.timeout(timeoutMs)
  const rules: AddressRules = {
    allowedHosts: settings.allowedHosts,
    allowPrivateAddresses: settings.allowPrivateAddresses || settings.allowPrivateSecretsProviders,
    privateSetting: 'TUTTI_ALLOW_PRIVATE_SECRETS_PROVIDERS',
  }
  return async (segments, { headers, query = '' }) => {
    const url = new URL(base)
    // Encoded, so that no segment becomes two; whoever makes them sees to it that none is a dot or two.
    const below = segments.map(encodeURIComponent).join('/')
    url.pathname = `${base.pathname.replace(/\/+$/, '')}/${below}`
    url.search = query
    try {
      const response = await guardedGet(url, rules, {
        signal,
        headers: { accept: 'application/json', ...headers },
      })
      const { statusCode: status = 0 } = response
      const chunks: Buffer[] = []
      for await (const chunk of limited(response, url.href, { maxBytes, signal })) chunks.push(chunk)
      if (status >= 500 || status === 429) {
        throw providerAway(provider, `${url.host} answered with status ${status}`)
      }
      if (status >= 300 && status < 400) {
        throw providerAway(
          provider,
          `${url.host} answered with status ${status}, and redirects are not followed`,
        )
      }
      return { status, body: jsonOf(Buffer.concat(chunks).toString('utf8')) }
    } catch (error) {
      if (!(error instanceof FetchRefused)) throw error
      const isForbidden = error.cause instanceof AddressRefused && !error.cause.isUnknown
      if (isForbidden) throw providerError(provider, `may not be asked: ${error.message}`)
      throw providerAway(provider, error.message)
    }
  }
}

function jsonOf(text: string): unknown {
  try {
    return JSON.parse(text)
  } catch {
    return undefined
  }
}

/** What is under that name in an answer; undefined where it is no object or has none. */
export const member = (value: unknown, name: string): unknown =>
  typeof value === 'object' && value !== null && Object.hasOwn(value, name)
    ? (value as Readonly<Record<string, unknown>>)[name]
    : undefined
