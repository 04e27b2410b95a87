import type { AddressRules } from '../checked-address.ts'
import { FetchRefused, guardedGet, limited } from './guarded-get.ts'
import { shownAddress } from './without-credentials.ts'

export type FetchRules = AddressRules & {
  readonly maxBytes: number
  /** For each request, until its answer is read. */
  readonly timeoutMs: number
}

const maxRedirects = 5

/**
 * Fetches an address that a user wrote, wherever it redirects to: each host on the way is checked.
 *
 * @throws FetchRefused
 */
export async function guardedFetch(address: string, rules: FetchRules): Promise<AsyncIterable<Buffer>> {
  let url = parse(address)
  for (let redirects = 0; redirects <= maxRedirects; redirects += 1) {
    const signal = AbortSignal.timeout(rules.timeoutMs)
    const response = await guardedGet(url, rules, { signal })
    const { statusCode = 0, headers } = response
    if (statusCode >= 300 && statusCode < 400 && headers.location !== undefined) {
      response.resume()
      url = parse(new URL(headers.location, url).href)
      continue
    }
    if (statusCode < 200 || statusCode >= 300) {
      response.resume()
      throw new FetchRefused(`${shownAddress(address)} answered with status ${statusCode}`)
    }
    return limited(response, address, { maxBytes: rules.maxBytes, signal })
  }
  throw new FetchRefused(`${shownAddress(address)} redirects more than ${maxRedirects} times`)
}

function parse(address: string): URL {
  if (!URL.canParse(address)) throw new FetchRefused(`${shownAddress(address)} is not an address`)
  const url = new URL(address)
  if (url.protocol === 'http:' || url.protocol === 'https:') return url
  throw new FetchRefused(`${shownAddress(address)}: only http and https addresses can be fetched`)
}
