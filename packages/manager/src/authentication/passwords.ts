import { hash as digest, randomBytes, timingSafeEqual } from 'node:crypto'
import { hash, verify } from '@node-rs/argon2'

/**
 * Checks passwords against argon2id hashes. A password that fitted is remembered by its SHA-256 with a key that
 * lives only in this process, together with the hash it fitted: basic authentication then costs microseconds
 * instead of the 8 ms of argon2, and a changed password is a changed hash, so it is never answered from memory.
 *
 * No HMAC: nothing but this process ever sees the digests, so nobody can extend one, and Node makes a key object for
 * each, which measured 0.1 ms of every request.
 */
export type PasswordCheck = {
  fits(passwordHash: string, password: string): Promise<boolean>
  /** One check after the other for each user: of guesses that come together, each counts before the next is looked at. */
  inTurn<T>(userId: number, check: () => Promise<T>): Promise<T>
}

const rememberedMax = 10_000

export function createPasswordCheck(): PasswordCheck {
  const key = randomBytes(32).toString('base64')
  const remembered = new Map<string, Buffer>()
  const digestOf = (password: string) => digest('sha256', key + password, 'buffer')

  const last = new Map<number, Promise<unknown>>()

  return {
    async inTurn(userId, check) {
      const turn = (last.get(userId) ?? Promise.resolve()).then(check, check)
      last.set(userId, turn)
      try {
        return await turn
      } finally {
        if (last.get(userId) === turn) last.delete(userId)
      }
    },

    async fits(passwordHash, password) {
      const fitting = digestOf(password)
      const known = remembered.get(passwordHash)
      if (known !== undefined && timingSafeEqual(known, fitting)) return true
      if (!(await verify(passwordHash, password))) return false
      if (remembered.size >= rememberedMax) remembered.clear()
      remembered.set(passwordHash, fitting)
      return true
    },
  }
}

/** argon2id with the library's defaults (19 MiB, 2 passes), which are OWASP's. */
export function hashPassword(password: string): Promise<string> {
  return hash(password)
}
