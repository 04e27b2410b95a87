import { hash as digest, randomBytes, timingSafeEqual } from 'node:crypto'
import { hash, type Options, verify } from '@node-rs/argon2'
import type { FairShares } from '@tutti/storage'

/**
 * Checks passwords against argon2id hashes. A password that fitted is remembered by its SHA-256 with a key that
 * lives only in this process, together with the hash it fitted: basic authentication then costs microseconds
 * instead of the 8 ms of argon2, and a changed password is a changed hash, so it is never answered from memory.
 *
 * No HMAC: nothing but this process ever sees the digests, so nobody can extend one, and Node makes a key object for
 * each, which measured 0.1 ms of every request.
 */
export type PasswordCheck = {
  /** Without a hash, as of a user who does not exist, it takes as long and does not fit. */
  fits(passwordHash: string | undefined, password: string, from: Asking): Promise<boolean>
  hash(password: string, from: Asking): Promise<string>
  /** One check after the other for each key: of guesses that come together, each counts before the next is looked at. */
  inTurn<T>(key: string, check: () => Promise<T>): Promise<T>
}

/** Who waits for a password to be hashed: addresses take turns, and who is gone waits no longer. */
export type Asking = { readonly address: string; readonly disconnected: AbortSignal }

const rememberedMax = 10_000

/** @param turns for hashing, each of which takes 19 MiB and a thread */
export function createPasswordCheck(turns: FairShares): PasswordCheck {
  const key = randomBytes(32).toString('base64')
  const remembered = new Map<string, Buffer>()
  const digestOf = (password: string) => digest('sha256', key + password, 'buffer')
  const last = new Map<string, Promise<unknown>>()
  let nobodys: Promise<string> | undefined

  async function inTurnOf<T>({ address, disconnected }: Asking, work: () => Promise<T>): Promise<T> {
    const leave = await turns.enter(address, disconnected)
    try {
      return await work()
    } finally {
      leave()
    }
  }

  return {
    async inTurn(key, check) {
      const turn = (last.get(key) ?? Promise.resolve()).then(check, check)
      last.set(key, turn)
      try {
        return await turn
      } finally {
        if (last.get(key) === turn) last.delete(key)
      }
    },

    async fits(passwordHash, password, from) {
      if (passwordHash === undefined) {
        nobodys ??= hashPassword(randomBytes(20).toString('hex'))
        const hash = await nobodys
        await inTurnOf(from, () => verify(hash, password))
        return false
      }
      const fitting = digestOf(password)
      const known = remembered.get(passwordHash)
      if (known !== undefined && timingSafeEqual(known, fitting)) return true
      if (!(await inTurnOf(from, () => verify(passwordHash, password)))) return false
      if (remembered.size >= rememberedMax) remembered.clear()
      remembered.set(passwordHash, fitting)
      return true
    },

    hash: (password, from) => inTurnOf(from, () => hashPassword(password)),
  }
}

/** argon2id with the library's defaults (19 MiB, 2 passes), which are OWASP's; tests need less work. */
export function hashPassword(password: string, work: Options = {}): Promise<string> {
  return hash(password, work)
}
