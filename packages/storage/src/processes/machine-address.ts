import { networkInterfaces } from 'node:os'

/** The address by which other machines reach this one: its first IPv4 address that is not the loopback's. */
export function machineAddress(): string {
  const addresses = Object.values(networkInterfaces()).flatMap((one) => one ?? [])
  return addresses.find(({ family, internal }) => family === 'IPv4' && !internal)?.address ?? '127.0.0.1'
}
