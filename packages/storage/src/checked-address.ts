import { lookup as resolve } from 'node:dns/promises'
import { BlockList, isIP } from 'node:net'

/** Where what users write may lead: archives, imports, LDAP servers. */
export type AddressRules = {
  /** Hosts that may be named; empty: any. */
  readonly allowedHosts: readonly string[]
  readonly allowPrivateAddresses: boolean
  /** Name of the environment variable that sets `allowPrivateAddresses`, for the refusal's text. */
  readonly privateSetting?: string
}

export type CheckedAddress = { readonly address: string; readonly family: number }

/** Why a host is not connected to; the text is shown to whoever wrote the address. */
export class AddressRefused extends Error {
  override readonly name = 'AddressRefused'
  /** The name leads nowhere now, which may be different tomorrow. */
  readonly isUnknown: boolean

  constructor(message: string, isUnknown = false) {
    super(message)
    this.isUnknown = isUnknown
  }
}

/**
 * Resolves the host once. Connect to the very address that is returned, so that a name cannot lead outside when it is
 * checked and to a private address afterwards.
 *
 * @throws AddressRefused
 */
export async function checkedAddress(host: string, rules: AddressRules): Promise<CheckedAddress> {
  if (rules.allowedHosts.length > 0 && !rules.allowedHosts.includes(host)) {
    throw new AddressRefused(`the host ${host} is not among the allowed ones (TUTTI_ALLOWED_HOSTS)`)
  }
  const family = isIP(host)
  const addresses =
    family > 0
      ? [{ address: host, family }]
      : await resolve(host, { all: true }).catch((error: Error) => {
          throw new AddressRefused(`the host ${host} cannot be resolved (${error.message})`, true)
        })
  const [first] = addresses
  if (first === undefined) throw new AddressRefused(`the host ${host} has no address`, true)
  const forbidden = rules.allowPrivateAddresses ? undefined : addresses.find(isPrivate)
  if (forbidden !== undefined) {
    const setting = rules.privateSetting ?? 'TUTTI_ALLOW_PRIVATE_ADDRESSES'
    throw new AddressRefused(
      `${host} leads to the private address ${forbidden.address}, which is not allowed (${setting})`,
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
  ['::', 96],
  // These hold IPv4 addresses too, which gateways lead to: NAT64, Teredo, 6to4.
  ['64:ff9b::', 96],
  ['64:ff9b:1::', 48],
  ['2001::', 32],
  ['2002::', 16],
  ['100::', 64],
  ['fc00::', 7],
  ['fe80::', 10],
  ['fec0::', 10],
  ['ff00::', 8],
] as const) {
  privateAddresses.addSubnet(network, prefix, 'ipv6')
}

function isPrivate({ address, family }: CheckedAddress): boolean {
  // An IPv4 address in IPv6 clothing is judged as what it is: BlockList does so for ::ffff:0:0/96.
  return privateAddresses.check(address, family === 6 ? 'ipv6' : 'ipv4')
}
