import type { Reporter } from '@tutti/cli'
import type { Client } from '@tutti/client'

/** What every step of the tour works with. */
export type TourContext = {
  readonly client: Client
  readonly reporter: Reporter
  readonly signal: AbortSignal
}
