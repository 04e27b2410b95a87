import { isMainThread, parentPort, Worker } from 'node:worker_threads'
import type { ParseOutcome } from '@tutti/dsl'
import type { FindBlueprint, UnpackedBlueprint } from './import-resolver.ts'
import { type FolderToParse, parseFolder } from './parse-folder.ts'

type ToThread =
  | { readonly kind: 'parse'; readonly folder: FolderToParse }
  | { readonly kind: 'blueprint'; readonly id: string; readonly found: UnpackedBlueprint | undefined }
type FromThread =
  | { readonly kind: 'outcome'; readonly outcome: ParseOutcome }
  | { readonly kind: 'failure'; readonly failure: string }
  | { readonly kind: 'find'; readonly id: string }

/** Beyond this a parse is stopped: no blueprint of a person takes as long, one of an attacker might. */
const timeLimitMs = 120_000
const memoryLimitMb = 1_024

/**
 * Parses in a thread of its own, so that a large blueprint holds up neither requests nor the renewal of leases, and a
 * hostile one can be stopped. The thread reads files and addresses itself and asks here for other blueprints, which
 * are in the database.
 */
export async function parseInThread(
  folder: FolderToParse,
  findBlueprint: FindBlueprint,
): Promise<ParseOutcome> {
  const thread = new Worker(new URL(import.meta.url), {
    resourceLimits: { maxOldGenerationSizeMb: memoryLimitMb },
  })
  const timer = setTimeout(() => void thread.terminate(), timeLimitMs)
  const tell = (message: ToThread) => thread.postMessage(message)
  try {
    return await new Promise<ParseOutcome>((resolve, reject) => {
      thread.on('message', (message: FromThread) => {
        switch (message.kind) {
          case 'outcome':
            return resolve(message.outcome)
          case 'failure':
            return reject(new Error(message.failure))
          case 'find':
            findBlueprint(message.id).then(
              (found) => tell({ kind: 'blueprint', id: message.id, found }),
              reject,
            )
        }
      })
      thread.on('error', reject)
      thread.on('exit', () =>
        reject(new Error(`Parsing was stopped: it took more than ${timeLimitMs / 1000} seconds`)),
      )
      tell({ kind: 'parse', folder })
    })
  } finally {
    clearTimeout(timer)
    await thread.terminate()
  }
}

if (!isMainThread && parentPort !== null) {
  const port = parentPort
  const tell = (message: FromThread) => port.postMessage(message)
  const asked = new Map<string, (found: UnpackedBlueprint | undefined) => void>()
  const find: FindBlueprint = (id) =>
    new Promise((resolve) => {
      asked.set(id, resolve)
      tell({ kind: 'find', id })
    })
  port.on('message', (message: ToThread) => {
    if (message.kind === 'blueprint') return asked.get(message.id)?.(message.found)
    parseFolder(message.folder, find).then(
      (outcome) => tell({ kind: 'outcome', outcome }),
      (error: unknown) => {
        const failure = error instanceof Error ? (error.stack ?? error.message) : String(error)
        tell({ kind: 'failure', failure })
      },
    )
  })
}
