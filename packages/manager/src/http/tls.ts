import { createPrivateKey, X509Certificate } from 'node:crypto'
import { type Stats, unwatchFile, watchFile } from 'node:fs'
import { readFile } from 'node:fs/promises'
import type { Server } from 'node:https'
import { createSecureContext } from 'node:tls'
import type { FastifyBaseLogger } from 'fastify'

/** Files in PEM: the certificate with those between it and the root, and its key. */
export type TlsFiles = { readonly certificate: string; readonly key: string }

type Pair = { readonly cert: Buffer; readonly key: Buffer }

/** @throws an error that names the file that cannot be read, or does not fit the other */
export async function readPair({ certificate, key }: TlsFiles): Promise<Pair> {
  const read = (file: string) =>
    readFile(file).catch((error: NodeJS.ErrnoException) => {
      throw new Error(`${file} cannot be read (${error.code}): it is to hold a certificate or its key in PEM`)
    })
  const pair = { cert: await read(certificate), key: await read(key) }
  try {
    createSecureContext(pair)
    // TLS itself takes an RSA key beside a certificate for another kind of key.
    if (!new X509Certificate(pair.cert).checkPrivateKey(createPrivateKey(pair.key))) {
      throw new Error('the key is that of another certificate')
    }
  } catch (error) {
    throw new Error(
      `The certificate in ${certificate} and the key in ${key} cannot be used together: ${(error as Error).message}`,
    )
  }
  return pair
}

const pollMs = 5_000

/**
 * Takes a new certificate when the files change, without a restart; connections that are open keep theirs. Files that do
 * not fit (one was written, the other not yet) leave the old pair.
 */
export function followCertificate(
  server: Server,
  files: TlsFiles,
  log: FastifyBaseLogger,
  intervalMs = pollMs,
): { stop(): void } {
  const onChange = (now: Stats, before: Stats) => {
    // Having been read is a change too.
    if (now.mtimeMs === before.mtimeMs && now.ino === before.ino && now.size === before.size) return
    readPair(files).then(
      (pair) => {
        server.setSecureContext(pair)
        log.info({ certificate: files.certificate }, 'the certificate was read again')
      },
      (error: Error) => log.error({ why: error.message }, 'the certificate stays as it was'),
    )
  }
  const paths = [files.certificate, files.key]
  for (const path of paths) watchFile(path, { interval: intervalMs, persistent: false }, onChange)
  return {
    stop() {
      for (const path of paths) unwatchFile(path, onChange)
    },
  }
}
