import type { Event, Execution } from '@tutti/api'

/** Tells what a command that takes its time is doing. */
export type Reporter = {
  /** Runs a step: says that it began, then how it ended. */
  readonly step: <Result>(text: string, run: () => Promise<Result>) => Promise<Result>
  readonly event: (event: Event) => void
  /** The state of the execution that is followed; undefined when following is over. */
  readonly progress: (execution: Execution | undefined) => void
  readonly note: (text: string) => void
  /** The last word: as JSON `result`, for people `text`. */
  readonly result: (result: unknown, text: string) => void
}
