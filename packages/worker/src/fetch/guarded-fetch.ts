import { lookup as resolve } from 'node:dns/promises'
import { request as httpRequest, type IncomingMessage } from 'node:http'
import { request as httpsRequest } from 'node:https'
import { BlockList, isIP } from 'node:net'

export type FetchRules = {
  /** Hosts that may be named; empty: any. */
  readonly allowedHosts: readonly string[]
  readonly allowPrivateAddresses: boolean
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
    const response = await get(url, await checkedAddress(url, rules), rules.timeoutMs)
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

async function checkedAddress(url: URL, rules: FetchRules): Promise<{ address: string; family: number }> {
  const host = url.hostname.replace(/^\[|\]$/g, '')
  if (rules.allowedHosts.length > 0 && !rules.allowedHosts.includes(host)) {
    throw new FetchRefused(
      `${url.href}: the host ${host} is not among the allowed ones (TUTTI_ALLOWED_HOSTS)`,
    )
  }
  const family = isIP(host)
  const addresses =
    family > 0
      ? [{ address: host, family }]
      : await resolve(host, { all: true }).catch((error: Error) => {
          throw new FetchRefused(`${url.href}: the host ${host} cannot be resolved (${error.message})`)
        })
  const [first] = addresses
  if (first === undefined) throw new FetchRefused(`${url.href}: the host ${host} has no address`)
  const forbidden = rules.allowPrivateAddresses ? undefined : addresses.find(isPrivate)
  if (forbidden !== undefined) {
    throw new FetchRefused(
      `${url.href}: ${host} leads to the private address ${forbidden.address}, which is not allowed (TUTTI_ALLOW_PRIVATE_ADDRESSES)`,
    )
  }
  return first
}

const privateAddresses = new BlockList()
for (const [network, prefix] of [
  ['0.0.0.0', 8],
  ['10.0.0.0', 8],
  ['100.64.0.0', 10],
  ['127.0.0.0', 8],
  ['169.254.0.0', 16],
  ['172.16.0.0', 12],
  ['192.0.0.0', 24],
  ['192.168.0.0', 16],
  ['198.18.0.0', 15],
  ['224.0.0.0', 3],
] as const) {
  privateAddresses.addSubnet(network, prefix, 'ipv4')
}
for (const [network, prefix] of [
  ['::', 127],
  ['64:ff9b::', 96],
  ['fc00::', 7],
  ['fe80::', 10],
  ['ff00::', 8],
] as const) {
  privateAddresses.addSubnet(network, prefix, 'ipv6')
}

function isPrivate({ address, family }: { address: string; family: number }): boolean {
  // An IPv4 address in IPv6 clothing is judged as what it is: BlockList does so for ::ffff:0:0/96.
  return privateAddresses.check(address, family === 6 ? 'ipv6' : 'ipv4')
}

function get(url: URL, to: { address: string; family: number }, timeoutMs: number): Promise<IncomingMessage> {
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
