import { isMainThread, parentPort, Worker } from 'node:worker_threads'
import { internalFailure } from '@tutti/storage'
import { runTask, type TaskName, type Tasks } from './tasks.ts'

type ToThread =
  | { readonly kind: 'task'; readonly name: TaskName; readonly input: unknown }
  | { readonly kind: 'answer'; readonly number: number; readonly answer: unknown }
type FromThread =
  | { readonly kind: 'result'; readonly result: unknown }
  | { readonly kind: 'failure'; readonly failure: Error }
  | { readonly kind: 'question'; readonly number: number; readonly about: string; readonly question: unknown }

/** Beyond this a task is stopped: no blueprint of a person takes as long, one of an attacker might. */
const timeLimitMs = 120_000
const memoryLimitMb = 1_024

/** How long a thread waits for its next task. Starting one took 450 ms, parsing a small blueprint 30. */
const keptMs = 60_000

/** A task came to no end: the blueprint asks for too much, or the language has a defect. */
export class TaskAborted extends Error {
  override readonly name = 'TaskAborted'
}

type Answer = (question: unknown) => Promise<unknown>

/**
 * Does a task in a thread of its own, so that a large blueprint holds up neither requests nor the renewal of leases,
 * and a hostile one can be stopped. The thread reads files and addresses itself and asks here for what is in the
 * database.
 *
 * @param enter resolves when it may begin: a thread may take a processor and a gigabyte of memory
 * @throws TaskAborted, and what an answer rejects with
 */
export async function runInThread<Name extends TaskName>(
  enter: () => Promise<() => void>,
  name: Name,
  input: Tasks[Name]['input'],
  answers: Tasks[Name]['answers'],
): Promise<Tasks[Name]['result']> {
  const leave = await enter()
  try {
    return await inThread(name, input, answers)
  } finally {
    leave()
  }
}

async function inThread<Name extends TaskName>(
  name: Name,
  input: Tasks[Name]['input'],
  answers: Tasks[Name]['answers'],
): Promise<Tasks[Name]['result']> {
  const thread = takeThread()
  const tell = (message: ToThread) => thread.postMessage(message)
  const { promise, resolve, reject } = Promise.withResolvers<Tasks[Name]['result']>()
  thread.on('message', (message: FromThread) => {
    switch (message.kind) {
      case 'result':
        return resolve(message.result as Tasks[Name]['result'])
      case 'failure':
        return reject(new TaskAborted(internalFailure, { cause: message.failure }))
      case 'question': {
        const { number, about, question } = message
        const answer = (answers as Readonly<Record<string, Answer>>)[about]
        if (answer === undefined) return reject(new TaskAborted(`no answer to ${about}`))
        answer(question).then((found) => tell({ kind: 'answer', number, answer: found }), reject)
      }
    }
  })
  thread.on('error', (error: NodeJS.ErrnoException) =>
    reject(
      error.code === 'ERR_WORKER_OUT_OF_MEMORY'
        ? new TaskAborted(`It was stopped: it needed more than ${memoryLimitMb} MB of memory`)
        : new TaskAborted(internalFailure, { cause: error }),
    ),
  )
  thread.on('exit', () =>
    reject(new TaskAborted(`It was stopped: it took more than ${timeLimitMs / 1000} seconds`)),
  )
  const timer = setTimeout(() => void thread.terminate(), timeLimitMs)
  try {
    tell({ kind: 'task', name, input })
    const result = await promise
    keepThread(thread)
    return result
  } catch (error) {
    // Whatever it was at, the next task gets a thread that knows nothing of it.
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

/** Large texts come as bytes, which are handed over: to copy them would hold up the process. */
function* buffersIn(value: unknown): Generator<ArrayBuffer> {
  if (value instanceof Uint8Array) {
    if (value.buffer instanceof ArrayBuffer) yield value.buffer
  } else if (typeof value === 'object' && value !== null) {
    for (const member of Object.values(value)) yield* buffersIn(member)
  }
}

if (!isMainThread && parentPort !== null) {
  const port = parentPort
  const tell = (message: FromThread, handedOver: readonly ArrayBuffer[] = []) =>
    port.postMessage(message, handedOver)
  const asked = new Map<number, (answer: unknown) => void>()
  let questions = 0
  /** Every answer is a question to the process. */
  const answers = new Proxy({} as Readonly<Record<string, Answer>>, {
    get: (_none, about: string) => (question: unknown) =>
      new Promise((resolve) => {
        questions += 1
        asked.set(questions, resolve)
        tell({ kind: 'question', number: questions, about, question })
      }),
  })
  const run = runTask as Readonly<Record<TaskName, (input: unknown, answers: unknown) => Promise<unknown>>>
  port.on('message', (message: ToThread) => {
    if (message.kind === 'answer') {
      asked.get(message.number)?.(message.answer)
      asked.delete(message.number)
      return
    }
    run[message.name](message.input, answers).then(
      (result) => tell({ kind: 'result', result }, [...buffersIn(result)]),
      (error: unknown) => {
        const failure = error instanceof Error ? error : new Error(String(error))
        tell({ kind: 'failure', failure })
      },
    )
  })
}
