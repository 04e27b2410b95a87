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

/** How long a thread waits for the next blueprint. Starting one took 450 ms, parsing a small blueprint 30. */
const keptMs = 60_000

/** The parser came to no end: the blueprint asks for too much, or the parser has a defect. */
export class ParseAborted extends Error {
  override readonly name = 'ParseAborted'
}

/**
 * Parses in a thread of its own, so that a large blueprint holds up neither requests nor the renewal of leases, and a
 * hostile one can be stopped. The thread reads files and addresses itself and asks here for other blueprints, which
 * are in the database.
 *
 * @throws ParseAborted, and what `findBlueprint` rejects with
 */
export async function parseInThread(
  folder: FolderToParse,
  findBlueprint: FindBlueprint,
): Promise<ParseOutcome> {
  const thread = takeThread()
  const tell = (message: ToThread) => thread.postMessage(message)
  const { promise, resolve, reject } = Promise.withResolvers<ParseOutcome>()
  thread.on('message', (message: FromThread) => {
    switch (message.kind) {
      case 'outcome':
        return resolve(message.outcome)
      case 'failure':
        return reject(new ParseAborted(message.failure))
      case 'find':
        findBlueprint(message.id).then((found) => tell({ kind: 'blueprint', id: message.id, found }), reject)
    }
  })
  thread.on('error', (error: NodeJS.ErrnoException) =>
    reject(
      error.code === 'ERR_WORKER_OUT_OF_MEMORY'
        ? new ParseAborted(`Parsing was stopped: it needed more than ${memoryLimitMb} MB of memory`)
        : new ParseAborted(error.message, { cause: error }),
    ),
  )
  thread.on('exit', () =>
    reject(new ParseAborted(`Parsing was stopped: it took more than ${timeLimitMs / 1000} seconds`)),
  )
  const timer = setTimeout(() => void thread.terminate(), timeLimitMs)
  try {
    tell({ kind: 'parse', folder })
    const outcome = await promise
    keepThread(thread)
    return outcome
  } catch (error) {
    // Whatever it was at, the next blueprint gets a thread that knows nothing of it.
    await thread.terminate()
    throw error
  } finally {
    clearTimeout(timer)
  }
}

/** At most one thread waits for work; it keeps no process alive. */
let idle: { readonly thread: Worker; readonly end: NodeJS.Timeout } | undefined

function takeThread(): Worker {
  if (idle === undefined) {
    return new Worker(new URL(import.meta.url), { resourceLimits: { maxOldGenerationSizeMb: memoryLimitMb } })
  }
  const { thread, end } = idle
  idle = undefined
  clearTimeout(end)
  forget(thread)
  thread.ref()
  return thread
}

function keepThread(thread: Worker): void {
  forget(thread)
  if (idle !== undefined) return void thread.terminate()
  const drop = () => {
    if (idle?.thread === thread) idle = undefined
    void thread.terminate()
  }
  thread.on('error', drop)
  thread.on('exit', drop)
  thread.unref()
  idle = { thread, end: setTimeout(drop, keptMs).unref() }
}

/** By name: without one, Node's own listeners go too and the thread never answers again. */
function forget(thread: Worker): void {
  for (const event of ['message', 'error', 'exit']) thread.removeAllListeners(event)
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
