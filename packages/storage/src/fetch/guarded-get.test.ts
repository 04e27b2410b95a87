import dns from 'node:dns/promises'
import { createServer, type Server } from 'node:http'
import { syncBuiltinESMExports } from 'node:module'
import type { AddressInfo } from 'node:net'
import { afterAll, beforeAll, beforeEach, expect, test, vi } from 'vitest'
import { FetchRefused, guardedGet, limited } from './index.ts'

// The system's resolver is not ours, and only a false one answers differently from one moment to the next.
// Put in its place where those find it who have been loaded before: test files share a process.
const resolver = vi.spyOn(dns as { lookup: (host: string) => Promise<unknown> }, 'lookup')
syncBuiltinESMExports()
afterAll(() => {
  resolver.mockRestore()
  syncBuiltinESMExports()
})

let server: Server
let port: number
let connections = 0

beforeAll(async () => {
  server = createServer((request, response) => response.end(`asked ${request.headers.host}`))
  server.on('connection', () => {
    connections += 1
  })
  await new Promise<void>((done) => server.listen(0, '127.0.0.1', done))
  port = (server.address() as AddressInfo).port
})
afterAll(() => server.close())
beforeEach(() => {
  resolver.mockReset()
  connections = 0
})

const forTests = { allowedHosts: [], allowPrivateAddresses: true }
const urlOf = (host: string) => new URL(`http://${host}:${port}/`)

async function get(host: string, rules = forTests, signal = new AbortController().signal) {
  const chunks: Buffer[] = []
  const response = await guardedGet(urlOf(host), rules, { signal })
  for await (const chunk of limited(response, host, { maxBytes: 1000, signal })) chunks.push(chunk)
  return Buffer.concat(chunks).toString()
}

const leadsTo = (...addresses: string[]) => addresses.map((address) => ({ address, family: 4 }))

test('a name is resolved once: the address that was checked is the one that is connected to', async () => {
  resolver.mockResolvedValueOnce(leadsTo('127.0.0.1')).mockResolvedValue(leadsTo('192.0.2.1'))
  expect(await get('rebinding.example.org')).toBe(`asked rebinding.example.org:${port}`)
  expect(resolver).toHaveBeenCalledTimes(1)
})

test('a connection is for one request only, so that the next one is checked too', async () => {
  resolver.mockResolvedValue(leadsTo('127.0.0.1'))
  await get('example.org')
  await get('example.org')
  expect(resolver).toHaveBeenCalledTimes(2)
  expect(connections).toBe(2)
})

test('a name of which one address is private is refused, and nothing is connected to', async () => {
  resolver.mockResolvedValue(leadsTo('192.0.2.1', '127.0.0.1'))
  const refused = get('mixed.example.org', { ...forTests, allowPrivateAddresses: false })
  await expect(refused).rejects.toThrow(/mixed\.example\.org leads to the private address 127\.0\.0\.1/)
  await expect(refused).rejects.toBeInstanceOf(FetchRefused)
  expect(connections).toBe(0)
})

test('a name that is resolved too late is given up', async () => {
  resolver.mockReturnValue(new Promise(() => {}))
  const control = new AbortController()
  const given = get('slow.example.org', forTests, control.signal)
  control.abort(new Error('too late'))
  await expect(given).rejects.toThrow('cannot be fetched: too late')
  await expect(get('slow.example.org', forTests, control.signal)).rejects.toThrow('too late')
})
