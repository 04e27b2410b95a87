import { isMainThread, parentPort, Worker } from 'node:worker_threads'
import { ApiError, badParameter } from '@tutti/api'
import { checkBySchema, type JsonSchema, type SchemaOutcome, type SchemaTask } from './json-schema.ts'

/** A user's schema may hold an expression that never comes to an end. */
const timeLimitMs = 1_000
const memoryLimitMb = 128

/** How long the thread waits for another check. */
const keptMs = 60_000

/** @throws bad_parameters_error for a schema that no value could be checked by */
export async function checkSchema(schema: JsonSchema): Promise<void> {
  await checked({ kind: 'schema', schema })
}

/**
 * The value as JSON text, if it fits the schema.
 *
 * @throws conflict_error
 */
export async function fitted(value: unknown, schema: JsonSchema): Promise<string> {
  return checked({ kind: 'value', schema, value })
}

async function checked(task: SchemaTask): Promise<string> {
  const outcome = await inTurn(task)
  switch (outcome.kind) {
    case 'fits':
      return outcome.text
    case 'bad schema':
      throw badParameter(`Invalid secret schema: ${outcome.why}`)
    case 'bad value':
      throw new ApiError('conflict_error', `Error validating secret value: ${outcome.why}`)
  }
}

/** One check after the other, each by the same thread. */
let last: Promise<unknown> = Promise.resolve()

function inTurn(task: SchemaTask): Promise<SchemaOutcome> {
  const outcome = last.then(() => inThread(task))
  last = outcome.catch(() => {})
  return outcome
}

/** The thread, and when it ends unless it gets something to do; it keeps no process alive. */
let idle: { readonly thread: Worker; readonly end: NodeJS.Timeout } | undefined

async function inThread(task: SchemaTask): Promise<SchemaOutcome> {
  const thread =
    idle?.thread ??
    new Worker(new URL(import.meta.url), { resourceLimits: { maxOldGenerationSizeMb: memoryLimitMb } })
  clearTimeout(idle?.end)
  thread.ref()
  idle = undefined
  const { promise, resolve, reject } = Promise.withResolvers<SchemaOutcome>()
  const stopped = () => reject(badParameter('The secret schema takes too long to check'))
  let timer: NodeJS.Timeout | undefined
  // Its start is not the schema's to answer for.
  const started = () => {
    timer = setTimeout(stopped, timeLimitMs)
  }
  const answered = (message: 'started' | SchemaOutcome) => {
    if (message === 'started') started()
    else resolve(message)
  }
  thread.on('message', answered)
  thread.on('error', stopped)
  thread.on('exit', stopped)
  try {
    thread.postMessage(task)
    const outcome = await promise
    for (const event of ['message', 'error', 'exit']) thread.removeAllListeners(event)
    const drop = () => {
      if (idle?.thread === thread) idle = undefined
      void thread.terminate()
    }
    thread.on('error', drop)
    thread.on('exit', drop)
    thread.unref()
    idle = { thread, end: setTimeout(drop, keptMs).unref() }
    return outcome
  } catch (error) {
    await thread.terminate()
    throw error
  } finally {
    clearTimeout(timer)
  }
}

if (!isMainThread && parentPort !== null) {
  const port = parentPort
  port.on('message', (task: SchemaTask) => {
    port.postMessage('started')
    port.postMessage(checkBySchema(task))
  })
}
