import { connect as connectPlain, isIP, type Socket } from 'node:net'
import { type ConnectionOptions, checkServerIdentity, connect as connectSecure } from 'node:tls'
import { type AddressRules, type CheckedAddress, checkedAddress } from '@tutti/storage'
import { Client, ResultCodeError } from 'ldapts'
import type { LdapServer } from './plan.ts'

/** The directory cannot be asked: it is away, too slow, not to be trusted, or refuses what is not a user's fault. */
export class LdapAway extends Error {
  override readonly name = 'LdapAway'
}

export type LdapReach = {
  readonly rules: AddressRules
  /** For all that is said in one connection together. */
  readonly timeoutMs: number
}

/**
 * Connects, talks and hangs up. The connection goes to the very address that the rules were checked for, and is made
 * once: the client library would otherwise connect again by itself, without StartTLS, when the server hangs up.
 *
 * @throws LdapAway
 */
export async function converse<Result>(
  server: LdapServer,
  { rules, timeoutMs }: LdapReach,
  talk: (client: Client) => Promise<Result>,
): Promise<Result> {
  let socket: Socket | undefined
  const late = Promise.withResolvers<never>()
  const timer = setTimeout(() => {
    late.reject(new LdapAway(`no answer within ${timeoutMs / 1000} seconds`))
    socket?.destroy()
  }, timeoutMs)
  const conversation = async () => {
    const to = await checkedAddress(server.host, rules)
    const client = clientOf(server, () => {
      if (socket !== undefined) throw new LdapAway('the server closed the connection')
      socket =
        server.security === 'tls' ? connectSecure(tlsOf(server, to)) : connectPlain(plainOf(server, to))
      return socket
    })
    if (server.security === 'starttls') await client.startTLS(tlsOf(server))
    return talk(client)
  }
  try {
    return await Promise.race([conversation(), late.promise])
  } catch (error) {
    throw error instanceof LdapAway ? error : new LdapAway(reasonOf(error), { cause: error })
  } finally {
    clearTimeout(timer)
    socket?.destroy()
  }
}

function clientOf({ host, port, security }: LdapServer, open: () => Socket): Client {
  const url = `${security === 'tls' ? 'ldaps' : 'ldap'}://${isIP(host) === 6 ? `[${host}]` : host}:${port}`
  return new Client({
    url,
    ...(security === 'tls'
      ? { createSecureConnection: open as unknown as typeof connectSecure }
      : { createConnection: open as unknown as typeof connectPlain }),
  })
}

const plainOf = ({ port }: LdapServer, { address, family }: CheckedAddress) => ({
  host: address,
  port,
  family,
})

/** Only the given authorities count, for the host that the settings name, whatever the environment of the process. */
function tlsOf(server: LdapServer, to?: CheckedAddress): ConnectionOptions {
  const { host, ca } = server
  return {
    ...(to !== undefined && plainOf(server, to)),
    ...(isIP(host) === 0 && { servername: host }),
    ...(ca !== undefined && { ca }),
    rejectUnauthorized: true,
    minVersion: 'TLSv1.2',
    checkServerIdentity: (_name, certificate) => checkServerIdentity(host, certificate),
  }
}

/** What the server answered to a bind that failed by the fault of who bound: RFC 4511, appendix A. */
const refusals: ReadonlySet<number> = new Set([
  19, // constraintViolation: a policy of the directory, such as a lock
  32, // noSuchObject
  34, // invalidDNSyntax
  48, // inappropriateAuthentication: the entry has no password
  49, // invalidCredentials
  50, // insufficientAccessRights
  53, // unwillingToPerform: an account that is shut
])

/**
 * Whether name and password fit. An empty password never does: directories take it for "nobody in particular" and say
 * that all is well (RFC 4513, 5.1.2).
 */
export async function bindFits(client: Client, name: string, password: string): Promise<boolean> {
  // The library takes these for mechanisms of its own and would not look at the password.
  if (password === '' || name === '' || /^[A-Z\d-]+$/.test(name)) return false
  try {
    await client.bind(name, password)
    return true
  } catch (error) {
    if (error instanceof ResultCodeError && refusals.has(error.code)) return false
    throw error
  }
}

function reasonOf(error: unknown): string {
  const message = error instanceof Error ? error.message : String(error)
  return message === '' ? ((error as { code?: string }).code ?? 'the connection failed') : message
}
