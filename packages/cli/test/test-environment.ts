import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import type { Environment } from '../src/environment.ts'

export type TestEnvironment = Environment & {
  /** What was written so far. */
  readonly written: () => string
  readonly errors: () => string
  readonly interrupt: () => void
  readonly remove: () => Promise<void>
}

export type TestEnvironmentOptions = {
  readonly variables?: Readonly<Record<string, string>>
  readonly isTerminal?: boolean
  readonly columns?: number
  readonly askSecret?: (question: string) => Promise<string>
  readonly input?: string
  /** Called instead of waiting. */
  readonly wait?: () => Promise<void>
}

/** A home of its own, captured output, no waiting, and a Ctrl-C that tests press. */
export async function testEnvironment(options: TestEnvironmentOptions = {}): Promise<TestEnvironment> {
  const home = await mkdtemp(join(tmpdir(), 'tutti-cli-'))
  const controller = new AbortController()
  const [written, errors]: [string[], string[]] = [[], []]
  const output = (texts: string[]) => ({
    write: (text: string) => void texts.push(text),
    isTerminal: options.isTerminal ?? false,
    columns: options.isTerminal === true ? (options.columns ?? 120) : undefined,
  })
  return {
    variables: options.variables ?? {},
    home,
    isRoot: false,
    workingFolder: home,
    stdout: output(written),
    stderr: output(errors),
    fetch: globalThis.fetch,
    wait: async (_timeMs, signal) => {
      await options.wait?.()
      signal?.throwIfAborted()
    },
    now: () => new Date('2026-11-21T10:00:00Z'),
    askSecret: options.askSecret,
    readInput: async () => options.input ?? '',
    interruption: () => controller.signal,
    written: () => written.join(''),
    errors: () => errors.join(''),
    interrupt: () => controller.abort(new Error('interrupted by SIGINT')),
    remove: () => rm(home, { recursive: true }),
  }
}
