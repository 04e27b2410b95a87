import { readFileSync } from 'node:fs'
import { createServer, type RequestListener } from 'node:http'
import { createServer as createSecureServer } from 'node:https'
import type { AddressInfo, Server } from 'node:net'

const certificate = (name: string) => readFileSync(new URL(`ldap-certificates/${name}`, import.meta.url))

/** Has signed the certificate of servers that are started with `secure`, which is for `localhost`. */
export const authority = () => certificate('ca.pem').toString()

export type TestServer = {
  readonly port: number
  close(): Promise<void>
}

export async function startServer(answer: RequestListener, options: { readonly secure?: boolean } = {}) {
  const server: Server & { closeAllConnections(): void } = options.secure
    ? createSecureServer({ cert: certificate('server.pem'), key: certificate('server.key') }, answer)
    : createServer(answer)
  await new Promise<void>((done) => server.listen(0, '127.0.0.1', done))
  return {
    port: (server.address() as AddressInfo).port,
    async close() {
      server.closeAllConnections()
      await new Promise((done) => server.close(done))
    },
  } satisfies TestServer
}

export const vaultToken = 'hvs.very-secret-token'

type Engine = {
  readonly type: string
  readonly version?: '1' | '2'
  /** By their paths in it; what may not be read with the token is null. */
  readonly values: Readonly<Record<string, unknown>>
}

/**
 * Answers as HashiCorp Vault 1.x does to a token that it knows: which engine is mounted where, and what it keeps
 * (developer.hashicorp.com/vault/api-docs: secret/kv/kv-v1, secret/kv/kv-v2, system/internal-ui-mounts, auth/token).
 */
export function vaultAnswers(engines: Readonly<Record<string, Engine>>): RequestListener {
  return (request, response) => {
    const say = (status: number, body: unknown) =>
      response.writeHead(status, { 'content-type': 'application/json' }).end(JSON.stringify(body))
    const denied = () => say(403, { errors: ['permission denied'] })
    const path = decodeURIComponent(request.url ?? '').replace(/^\/v1\//, '')
    if (request.headers['x-vault-token'] !== vaultToken) return denied()
    if (path === 'auth/token/lookup-self') return say(200, { data: { id: vaultToken } })
    const asked = path.replace('sys/internal/ui/mounts/', '')
    const found = Object.entries(engines).find(([mount]) => asked.startsWith(mount))
    if (found === undefined) return denied()
    const [mount, { type, version, values }] = found
    if (asked !== path) {
      return say(200, { data: { path: mount, type, options: version === undefined ? null : { version } } })
    }
    const place = path.slice(mount.length)
    const key = version === '2' ? place.replace(/^data\//, '') : place
    const isData = version !== '2' || key !== place
    const value = isData && Object.hasOwn(values, key) ? values[key] : undefined
    if (value === undefined) return say(404, { errors: [] })
    if (value === null) return denied()
    return say(200, { data: version === '2' ? { data: value, metadata: { version: 3 } } : value })
  }
}
