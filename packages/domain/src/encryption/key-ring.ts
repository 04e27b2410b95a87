import { createHash, randomBytes } from 'node:crypto'
import { ApiError } from '@tutti/api'
import { decryptFernet, encryptFernet, keyBytes } from './fernet.ts'

/**
 * What is kept encrypted in the database: `FINGERPRINT:TOKEN`. The fingerprint says which key opens the token, so that
 * keys can be changed while some values are still under the old one.
 */
export type Sealed = string

/** Keys by their fingerprints; the first one seals, all of them open. */
export type KeyRing = {
  /** Fingerprints, that of the sealing key first. */
  readonly fingerprints: readonly string[]
  seal(text: string): Sealed
  /** @throws invalid_fernet_token_format_error for what none of the keys opens */
  open(sealed: Sealed): string
}

export const newKey = (): Buffer => randomBytes(keyBytes)
export const formatKey = (key: Buffer): string => key.toString('base64url')

/** @throws Error naming the source, never the key */
export function parseKey(text: string, source: string): Buffer {
  const key = Buffer.from(text, 'base64url')
  if (/^[\w-]+={0,2}$/.test(text) && key.length === keyBytes) return key
  throw new Error(
    `${source} holds something that is no encryption key: each is ${keyBytes} random bytes as base64url, ` +
      'as `openssl rand -base64 64 | tr +/ -_ | tr -d "\\n"` makes one',
  )
}

export function openKeyRing(keys: readonly Buffer[]): KeyRing {
  const byFingerprint = new Map(keys.map((key) => [fingerprintOf(key), key]))
  const fingerprints = [...byFingerprint.keys()]
  const [sealing] = keys
  if (sealing === undefined) throw new Error('a key ring needs a key')
  return {
    fingerprints,
    seal(text) {
      const token = encryptFernet(sealing, text, {
        seconds: Math.floor(Date.now() / 1000),
        iv: randomBytes(16),
      })
      return `${fingerprints[0]}:${token}`
    },
    open(sealed) {
      const key = byFingerprint.get(sealed.slice(0, sealed.indexOf(':')))
      const text = key && decryptFernet(key, tokenOf(sealed))
      if (text !== undefined) return text
      throw new ApiError(
        'invalid_fernet_token_format_error',
        key === undefined
          ? 'This value was encrypted under a key that this manager does not have'
          : 'This value has been damaged: it cannot be decrypted',
        { hint: 'See the setting encryptionKeys (TUTTI_ENCRYPTION_KEY)' },
      )
    },
  }
}

/** The token alone, as answers show it. */
export const tokenOf = (sealed: Sealed): string => sealed.slice(sealed.indexOf(':') + 1)

const fingerprintOf = (key: Buffer) => createHash('sha256').update(key).digest('hex').slice(0, 16)
