import { request as httpRequest, type IncomingMessage } from 'node:http'
import { request as httpsRequest } from 'node:https'
import { AddressRefused, type AddressRules, type CheckedAddress, checkedAddress } from '../checked-address.ts'
import { shownAddress, withoutCredentials } from './without-credentials.ts'

/**
 * Why an address was not fetched; the text is shown to whoever wrote the address. Caused by AddressRefused where nothing
 * was connected to.
 */
export class FetchRefused extends Error {
  override readonly name = 'FetchRefused'

  constructor(message: string, options?: ErrorOptions) {
    super(withoutCredentials(message), options)
  }
}

export type GuardedGet = {
  /** Ends the request and the reading of its answer. */
  readonly signal: AbortSignal
  readonly headers?: Readonly<Record<string, string>>
}

/**
 * One request to an address that a user wrote; redirects are answers like others. The host is resolved once and the
 * connection goes to the very address that was checked, so that a name cannot lead outside first and to a private
 * address afterwards.
 *
 * @throws FetchRefused
 */
export async function guardedGet(
  url: URL,
  rules: AddressRules,
  { signal, headers = {} }: GuardedGet,
): Promise<IncomingMessage> {
  const to = await before(signal, url, addressOf(url, rules))
  const request = url.protocol === 'https:' ? httpsRequest : httpRequest
  return new Promise((done, fail) => {
    const outgoing = request(url, {
      // A connection that another request left open may lead to another address than the one just checked.
      agent: false,
      rejectUnauthorized: true,
      lookup: (_host, options, callback) => {
        if (options.all) callback(null, [to])
        else callback(null, to.address, to.family)
      },
      signal,
      headers: { 'user-agent': 'tutti', ...headers },
    })
    outgoing.on('response', done)
    outgoing.on('error', (error) => fail(unfetched(url.href, signal, error)))
    outgoing.end()
  })
}

/**
 * The body of an answer, up to a size.
 *
 * @throws FetchRefused
 */
export async function* limited(
  response: IncomingMessage,
  address: string,
  { maxBytes, signal }: { readonly maxBytes: number; readonly signal: AbortSignal },
): AsyncGenerator<Buffer> {
  let size = 0
  try {
    for await (const chunk of response as AsyncIterable<Buffer>) {
      size += chunk.length
      if (size > maxBytes)
        throw new FetchRefused(`${shownAddress(address)} is larger than the allowed ${maxBytes} bytes`)
      yield chunk
    }
  } catch (error) {
    // The other side broke off or took too long: its broken socket must not be taken for one of the database.
    if (error instanceof FetchRefused) throw error
    throw unfetched(address, signal, error)
  }
}

function unfetched(address: string, signal: AbortSignal, error: unknown): FetchRefused {
  const why = signal.aborted ? signal.reason : error
  // Where a name has several addresses Node gives an error without a text, but with a code.
  const { message, code } = why instanceof Error ? (why as NodeJS.ErrnoException) : { message: String(why) }
  return new FetchRefused(`${shownAddress(address)} cannot be fetched: ${message || code}`)
}

async function addressOf(url: URL, rules: AddressRules): Promise<CheckedAddress> {
  try {
    return await checkedAddress(url.hostname.replace(/^\[|\]$/g, ''), rules)
  } catch (error) {
    if (!(error instanceof AddressRefused)) throw error
    throw new FetchRefused(`${url.href}: ${error.message}`, { cause: error })
  }
}

/** Names are resolved by the system, which takes no signal: a late answer is left alone. */
async function before<T>(signal: AbortSignal, url: URL, work: Promise<T>): Promise<T> {
  const late = Promise.withResolvers<never>()
  const give = () => late.reject(unfetched(url.href, signal, signal.reason))
  if (signal.aborted) give()
  signal.addEventListener('abort', give)
  try {
    return await Promise.race([work, late.promise])
  } finally {
    signal.removeEventListener('abort', give)
  }
}
