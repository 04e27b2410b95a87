import type { Fetch, Wait } from '@tutti/client'

/** Where a command writes. */
export type Output = {
  readonly write: (text: string) => void
  readonly isTerminal: boolean
  /** Width of the terminal; undefined elsewhere. */
  readonly columns: number | undefined
}

/** Everything of the outer world that a command touches; tests bring their own. */
export type Environment = {
  readonly variables: Readonly<Record<string, string | undefined>>
  readonly home: string
  readonly isRoot: boolean
  readonly workingFolder: string
  readonly stdout: Output
  readonly stderr: Output
  readonly fetch: Fetch
  readonly wait: Wait
  readonly now: () => Date
  /** Asks for a secret on the terminal without echo; undefined when there is none to ask. */
  readonly askSecret: ((question: string) => Promise<string>) | undefined
  /** All of standard input, as text. */
  readonly readInput: () => Promise<string>
  /** Aborted by Ctrl-C or a request to terminate. Asking for it takes the signals over from Node. */
  readonly interruption: () => AbortSignal
}
