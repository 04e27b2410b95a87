import type { Reading } from '@tutti/api'
import type { FairShares } from '@tutti/storage'

/** Leave to read long lists, in turn with other tenants: `key` is whose turn it takes. */
export const readingOf = (readers: FairShares, key: string, disconnected: AbortSignal): Reading => ({
  async begin() {
    const end = await readers.enter(key, disconnected)
    return {
      end,
      get isWanted() {
        return readers.waiting > 0
      },
    }
  },
})
