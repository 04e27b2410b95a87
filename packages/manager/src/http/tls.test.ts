import { once } from 'node:events'
import { copyFile, mkdtemp, rename, rm, writeFile } from 'node:fs/promises'
import { request } from 'node:https'
import type { AddressInfo } from 'node:net'
import { tmpdir } from 'node:os'
import { basename, join } from 'node:path'
import { createMetrics } from '@tutti/storage'
import { pino } from 'pino'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { startTestManager, type TestManager } from '../../test/test-manager.ts'
import { handlers } from '../features/index.ts'
import { buildApp } from './app.ts'
import { followCertificate, readPair } from './tls.ts'

let folder: string
let manager: TestManager
beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'tutti-tls-'))
  manager = await startTestManager()
})
afterAll(async () => {
  await manager.close()
  await rm(folder, { recursive: true, force: true })
})

const kept = join(import.meta.dirname, '..', '..', 'test', 'ldap-certificates')

/** Copies of a certificate and its key, which may be replaced. */
async function copiesOf(name: string) {
  const files = { certificate: join(folder, `${name}.pem`), key: join(folder, `${name}.key`) }
  for (const file of Object.values(files)) await copyFile(join(kept, basename(file)), file)
  return files
}

const nameServed = (port: number) =>
  new Promise<{ readonly status: number | undefined; readonly name: unknown }>((resolve, reject) => {
    const asked = request(
      { host: '127.0.0.1', port, path: '/healthz', rejectUnauthorized: false, agent: false },
      (response) => {
        const socket = response.socket as import('node:tls').TLSSocket
        const name = socket.getPeerCertificate().subject.CN
        response.resume().once('end', () => resolve({ status: response.statusCode, name }))
      },
    )
    asked.once('error', reject).end()
  })

test('it answers by TLS, and with another certificate when the files hold one that fits', async () => {
  const [first, second] = [await copiesOf('server'), await copiesOf('other-server')]
  const app = buildApp({ ...manager.services, metrics: createMetrics() }, handlers, await readPair(first))
  await app.listen({ host: '127.0.0.1', port: 0 })
  const { port } = app.server.address() as AddressInfo
  const said: { readonly level: number }[] = []
  const heard: (() => void)[] = []
  const log = pino(
    {},
    {
      write(line: string) {
        said.push(JSON.parse(line))
        for (const wake of heard.splice(0)) wake()
      },
    },
  )
  const line = async (count: number) => {
    while (said.length < count) await new Promise<void>((resolve) => heard.push(resolve))
    return said[count - 1]?.level
  }
  const followed = followCertificate(app.server as unknown as import('node:https').Server, first, log, 20)
  try {
    expect(await nameServed(port)).toEqual({ status: 200, name: 'Tutti test server' })
    // Half of the new pair: the old one stays.
    await rename(second.certificate, first.certificate)
    expect(await line(1)).toBe(50)
    expect(await nameServed(port)).toEqual({ status: 200, name: 'Tutti test server' })
    await rename(second.key, first.key)
    expect(await line(2)).toBe(30)
    expect(await nameServed(port)).toEqual({ status: 200, name: 'Tutti test other-server' })
  } finally {
    followed.stop()
    const closed = once(app.server, 'close')
    await app.close()
    await closed
  }
})

test.each([
  ['no file', undefined],
  ['no certificate', 'something else'],
])('files that are no pair are named: %s', async (_what, text) => {
  const { key } = await copiesOf('server')
  const certificate = join(folder, 'other.crt')
  await rm(certificate, { force: true })
  if (text !== undefined) await writeFile(certificate, text)
  await expect(readPair({ certificate, key })).rejects.toThrow(certificate)
})
