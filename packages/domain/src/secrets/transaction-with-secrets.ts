import { randomUUID } from 'node:crypto'
import type { Transaction } from '@tutti/storage'
import { type Actor, inTransaction } from '../actor.ts'
import type { AskProvider, ProviderAnswers } from './provider-answers.ts'

/**
 * A transaction that may read secrets. A secrets provider takes up to seconds to answer, for which a transaction would
 * hold a connection and its locks: one that meets a secret from elsewhere is rolled back, and is done again when the
 * provider has answered. All that one run asks for is asked for at once, so that there are two runs, and more only where
 * a secret names another secret.
 */
export async function transactionWithSecrets<T>(
  actor: Actor,
  work: (within: Actor, transaction: Transaction) => Promise<T>,
): Promise<T> {
  const answers = new Map<string, PromiseSettledResult<string>>()
  for (;;) {
    const missing = new Map<string, AskProvider>()
    const providerAnswers: ProviderAnswers = (key, ask) => {
      const answer = answers.get(key)
      if (answer?.status === 'rejected') throw answer.reason
      if (answer !== undefined) return answer.value
      missing.set(key, ask)
      // It goes no further than this run. Such a text is the name of nothing, should it be taken for one.
      return randomUUID()
    }
    const reading = { ...actor, services: { ...actor.services, providerAnswers } }
    const run = inTransaction(reading, async (within, transaction) => {
      const result = await work(within, transaction)
      if (missing.size > 0) throw new SecretsMissing()
      return result
    })
    try {
      return await run
    } catch (error) {
      if (missing.size === 0) throw error
    }
    const asked = await Promise.allSettled([...missing.values()].map((ask) => ask()))
    for (const [index, key] of [...missing.keys()].entries()) {
      const answer = asked[index]
      if (answer !== undefined) answers.set(key, answer)
    }
  }
}

class SecretsMissing extends Error {}
