import {
  createCipheriv,
  createDecipheriv,
  createHmac,
  createSecretKey,
  type KeyObject,
  pbkdf2,
  timingSafeEqual,
} from 'node:crypto'
import { promisify } from 'node:util'

/**
 * The framing in which secrets travel between managers (docs/reference/secrets.md, "Export"): AES-256-CBC and
 * HMAC-SHA256 under a key of 64 bytes, of which the first half signs and the second encrypts.
 *
 *     urlsafe-base64(0x80 | 8 bytes seconds | 16 bytes IV | ciphertext | 32 bytes HMAC of all before)
 */
export const keyBytes = 64

const [version, timeBytes, ivBytes, macBytes, blockBytes] = [0x80, 8, 16, 32, 16]
const headBytes = 1 + timeBytes + ivBytes

export function encryptFernet(
  key: Buffer,
  text: string,
  { seconds, iv }: { readonly seconds: number; readonly iv: Buffer },
): string {
  const time = Buffer.alloc(timeBytes)
  time.writeBigUInt64BE(BigInt(seconds))
  const cipher = createCipheriv('aes-256-cbc', halvesOf(key).encrypting, iv)
  const ciphertext = Buffer.concat([cipher.update(text, 'utf8'), cipher.final()])
  const signed = Buffer.concat([Buffer.of(version), time, iv, ciphertext])
  return urlSafe(Buffer.concat([signed, mac(key, signed)]))
}

/** Undefined when the token was not made under this key, or has been tampered with. */
export function decryptFernet(key: Buffer, token: string): string | undefined {
  if (!/^[\w-]+={0,2}$/.test(token)) return undefined
  const bytes = Buffer.from(token, 'base64url')
  const size = bytes.length - headBytes - macBytes
  if (size < blockBytes || size % blockBytes !== 0 || bytes[0] !== version) return undefined
  const signed = bytes.subarray(0, -macBytes)
  if (!timingSafeEqual(mac(key, signed), bytes.subarray(-macBytes))) return undefined
  const iv = bytes.subarray(1 + timeBytes, headBytes)
  const decipher = createDecipheriv('aes-256-cbc', halvesOf(key).encrypting, iv)
  return Buffer.concat([decipher.update(signed.subarray(headBytes)), decipher.final()]).toString('utf8')
}

const rounds = 100_000

/** The key of an export that is protected by a passphrase. */
export const keyOfPassphrase = (passphrase: string): Promise<Buffer> =>
  promisify(pbkdf2)(passphrase, 'salt_', rounds, keyBytes, 'sha256')

type Halves = { readonly signing: KeyObject; readonly encrypting: KeyObject }

/** Made once for each key: making them costs as much as encrypting a short text. */
const halves = new WeakMap<Buffer, Halves>()

function halvesOf(key: Buffer): Halves {
  const found = halves.get(key)
  if (found !== undefined) return found
  const made = {
    signing: createSecretKey(key.subarray(0, keyBytes / 2)),
    encrypting: createSecretKey(key.subarray(keyBytes / 2)),
  }
  halves.set(key, made)
  return made
}

const mac = (key: Buffer, bytes: Buffer) => createHmac('sha256', halvesOf(key).signing).update(bytes).digest()

/** With the padding that the reference writes and insists on. */
const urlSafe = (bytes: Buffer) => bytes.toString('base64').replaceAll('+', '-').replaceAll('/', '_')
