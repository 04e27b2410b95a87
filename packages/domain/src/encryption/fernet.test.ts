import { randomBytes } from 'node:crypto'
import fc from 'fast-check'
import { expect, test } from 'vitest'
import { decryptFernet, encryptFernet, keyBytes, keyOfPassphrase } from './fernet.ts'

test('writes and reads what other managers write', async () => {
  const key = await keyOfPassphrase('secretpass')
  const iv = Buffer.from([...Array(16).keys()])
  const token =
    'gAAAAABlU_EAAAECAwQFBgcICQoLDA0ODz6WPN5KUTwfGoj8ovhcprg8qGs7dBUcMcLLFh8KEd3PoriffVoCv-r3OXu0fXuzkg=='
  expect(encryptFernet(key, 'hello', { seconds: 1_700_000_000, iv })).toBe(token)
  expect(decryptFernet(key, token)).toBe('hello')
})

const [key, other] = [randomBytes(keyBytes), randomBytes(keyBytes)]
const encrypt = (text: string) => encryptFernet(key, text, { seconds: 1, iv: randomBytes(16) })

test('every text comes back, and under no other key', () => {
  fc.assert(
    fc.property(fc.string({ unit: 'binary' }), (text) => {
      const token = encrypt(text)
      expect(decryptFernet(key, token)).toBe(Buffer.from(text).toString())
      expect(decryptFernet(other, token)).toBeUndefined()
    }),
  )
})

test('what has been tampered with is not read', () => {
  const token = encrypt('hello')
  for (let at = 0; at < token.length; at += 7) {
    const changed = token.slice(0, at) + (token[at] === 'A' ? 'B' : 'A') + token.slice(at + 1)
    expect(decryptFernet(key, changed)).toBeUndefined()
  }
  for (const wrong of ['', 'x', token.slice(0, -8), `${token}AAAA`, 'a b', 'ä']) {
    expect(decryptFernet(key, wrong)).toBeUndefined()
  }
})
