import { type FairShares, measuredShares, type Registry } from '@tutti/storage'

/** So many readers of long lists at once leave most connections to everybody else. */
const mostReaders = 4

/** Of the four threads that Node does such work on, one is left for files and names. */
const mostHashing = 3

/** Each may take a processor, and disk for all that an archive unpacks to. */
const mostUnpacking = 3

/** So many wait at most, before those of whom most wait are refused. */
const mostWaiting = 500

/** What of this manager is shared fairly between tenants, or between addresses. */
export const managerShares = (
  metrics: Registry,
): Readonly<Record<'readers' | 'hashing' | 'unpacking', FairShares>> => ({
  readers: measuredShares(metrics, 'lists', { size: mostReaders, mostWaiting }),
  hashing: measuredShares(metrics, 'passwords', { size: mostHashing, mostWaiting }),
  unpacking: measuredShares(metrics, 'unpacking', { size: mostUnpacking, mostWaiting }),
})
