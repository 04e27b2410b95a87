import { isMainThread, parentPort, Worker } from 'node:worker_threads'
import type { ParseOutcome } from '@tutti/dsl'
import { type FolderToParse, parseFolder } from './parse-folder.ts'

type Question = { readonly id: number; readonly folder: FolderToParse }
type Answer =
  | { readonly id: number; readonly outcome: ParseOutcome }
  | { readonly id: number; readonly failure: string }

/** Beyond this a parse is stopped: no blueprint of a person takes as long, one of an attacker might. */
const timeLimitMs = 120_000
const memoryLimitMb = 1_024

/**
 * Parses in a thread of its own, so that a large blueprint holds up neither requests nor the renewal of leases, and a
 * hostile one can be stopped.
 */
export async function parseInThread(folder: FolderToParse): Promise<ParseOutcome> {
  const thread = new Worker(new URL(import.meta.url), {
    resourceLimits: { maxOldGenerationSizeMb: memoryLimitMb },
  })
  const timer = setTimeout(() => void thread.terminate(), timeLimitMs)
  try {
    return await new Promise<ParseOutcome>((resolve, reject) => {
      thread.on('message', (answer: Answer) => {
        if ('outcome' in answer) resolve(answer.outcome)
        else reject(new Error(answer.failure))
      })
      thread.on('error', reject)
      thread.on('exit', () =>
        reject(new Error(`Parsing was stopped: it took more than ${timeLimitMs / 1000} seconds`)),
      )
      thread.postMessage({ id: 1, folder } satisfies Question)
    })
  } finally {
    clearTimeout(timer)
    await thread.terminate()
  }
}

if (!isMainThread && parentPort !== null) {
  const port = parentPort
  port.on('message', ({ id, folder }: Question) => {
    parseFolder(folder).then(
      (outcome) => port.postMessage({ id, outcome } satisfies Answer),
      (error: unknown) => {
        const failure = error instanceof Error ? (error.stack ?? error.message) : String(error)
        port.postMessage({ id, failure } satisfies Answer)
      },
    )
  })
}
