import { createCipheriv, createDecipheriv, randomBytes, randomUUID } from 'node:crypto'
import { link, mkdir, readFile, rm, writeFile } from 'node:fs/promises'
import { dirname, join } from 'node:path'
import { ApiError } from '@tutti/api'

/** Keeps a password unreadable in the database and its backups. */
export type Sealer = {
  seal(text: string): string
  open(sealed: string): string
}

const keyFileName = 'ldap-key'
const [keyBytes, ivBytes, tagBytes] = [32, 12, 16]

/** There whole or not at all; the first of several managers that start at once makes it, and all use that one. */
async function makeKey(file: string): Promise<Buffer> {
  const own = `${file}.${randomUUID()}`
  await mkdir(dirname(file), { recursive: true })
  await writeFile(own, randomBytes(keyBytes), { mode: 0o600, flush: true })
  try {
    await link(own, file).catch((error: NodeJS.ErrnoException) => {
      if (error.code !== 'EEXIST') throw error
    })
  } finally {
    await rm(own)
  }
  return readFile(file)
}

/** AES-256-GCM under a key in the data folder, which is made at the first start and is its owner's only. */
export async function openSealer(dataFolder: string): Promise<Sealer> {
  const file = join(dataFolder, keyFileName)
  const key = await readFile(file).catch((error: NodeJS.ErrnoException) => {
    if (error.code === 'ENOENT') return makeKey(file)
    throw error
  })
  if (key.length !== keyBytes) throw new Error(`${file} is damaged: it must hold ${keyBytes} bytes`)
  return {
    seal(text) {
      const iv = randomBytes(ivBytes)
      const cipher = createCipheriv('aes-256-gcm', key, iv)
      const encrypted = Buffer.concat([cipher.update(text, 'utf8'), cipher.final()])
      return Buffer.concat([iv, cipher.getAuthTag(), encrypted]).toString('base64')
    },
    open(sealed) {
      const bytes = Buffer.from(sealed, 'base64')
      const decipher = createDecipheriv('aes-256-gcm', key, bytes.subarray(0, ivBytes), {
        authTagLength: tagBytes,
      })
      decipher.setAuthTag(bytes.subarray(ivBytes, ivBytes + tagBytes))
      try {
        return decipher.update(bytes.subarray(ivBytes + tagBytes), undefined, 'utf8') + decipher.final('utf8')
      } catch (error) {
        throw new ApiError(
          'invalid_fernet_token_format_error',
          'The password of the LDAP settings was encrypted by a manager with another key',
          { hint: `Give every manager the same file ${keyFileName}, or set LDAP again`, cause: error },
        )
      }
    },
  }
}
