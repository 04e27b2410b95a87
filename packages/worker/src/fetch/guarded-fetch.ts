import { request as httpRequest, type IncomingMessage } from 'node:http'
import { request as httpsRequest } from 'node:https'
import { AddressRefused, type AddressRules, type CheckedAddress, checkedAddress } from '@tutti/storage'

export type FetchRules = AddressRules & {
  readonly maxBytes: number
  readonly timeoutMs: number
}

/** Why an address was not fetched; the text is shown to whoever wrote the address. */
export class FetchRefused extends Error {
  override readonly name = 'FetchRefused'
}

const maxRedirects = 5

/**
 * Fetches an address that a user wrote. The host is resolved once and the connection goes to the very address that
 * was checked, so that a name cannot lead outside first and to a private address afterwards.
 *
 * @throws FetchRefused
 */
export async function guardedFetch(address: string, rules: FetchRules): Promise<AsyncIterable<Buffer>> {
  let url = parse(address)
  for (let redirects = 0; redirects <= maxRedirects; redirects += 1) {
    const response = await get(url, await addressOf(url, rules), rules.timeoutMs)
    const { statusCode = 0, headers } = response
    if (statusCode >= 300 && statusCode < 400 && headers.location !== undefined) {
      response.resume()
      url = parse(new URL(headers.location, url).href)
      continue
    }
    if (statusCode < 200 || statusCode >= 300) {
      response.resume()
      throw new FetchRefused(`${address} answered with status ${statusCode}`)
    }
    return limited(response, address, rules.maxBytes)
  }
  throw new FetchRefused(`${address} redirects more than ${maxRedirects} times`)
}

function parse(address: string): URL {
  if (!URL.canParse(address)) throw new FetchRefused(`${address} is not an address`)
  const url = new URL(address)
  if (url.protocol === 'http:' || url.protocol === 'https:') return url
  throw new FetchRefused(`${address}: only http and https addresses can be fetched`)
}

async function addressOf(url: URL, rules: FetchRules): Promise<CheckedAddress> {
  try {
    return await checkedAddress(url.hostname.replace(/^\[|\]$/g, ''), rules)
  } catch (error) {
    if (error instanceof AddressRefused) throw new FetchRefused(`${url.href}: ${error.message}`)
    throw error
  }
}

function get(url: URL, to: CheckedAddress, timeoutMs: number): Promise<IncomingMessage> {
  const request = url.protocol === 'https:' ? httpsRequest : httpRequest
  return new Promise((done, fail) => {
    const outgoing = request(url, {
      lookup: (_host, options, callback) => {
        if (options.all) callback(null, [to])
        else callback(null, to.address, to.family)
      },
      signal: AbortSignal.timeout(timeoutMs),
      headers: { 'user-agent': 'tutti' },
    })
    outgoing.on('response', done)
    outgoing.on('error', (error) => fail(new FetchRefused(`${url.href} cannot be fetched: ${error.message}`)))
    outgoing.end()
  })
}

async function* limited(
  response: IncomingMessage,
  address: string,
  maxBytes: number,
): AsyncGenerator<Buffer> {
  let size = 0
  try {
    for await (const chunk of response as AsyncIterable<Buffer>) {
      size += chunk.length
      if (size > maxBytes) throw new FetchRefused(`${address} is larger than the allowed ${maxBytes} bytes`)
      yield chunk
    }
  } catch (error) {
    // The other side broke off or took too long: its broken socket must not be taken for one of the database.
    if (error instanceof FetchRefused) throw error
    throw new FetchRefused(`${address} cannot be fetched: ${error instanceof Error ? error.message : error}`)
  }
}
