import { extname } from 'node:path'
import { Worker } from 'node:worker_threads'
import type { YamlAnswer, YamlTask } from './yaml-thread.ts'

/** No plugin of people takes a second; a hostile one is stopped. */
const timeLimitMs = 60_000
const memoryLimitMb = 512

/**
 * What is in YAML files, read in a thread of its own: that is computing, which would hold up everybody, and a hostile file
 * can ask for more time and memory than there is.
 */
export async function readYamlFiles(task: YamlTask): Promise<YamlAnswer> {
  if (task.length === 0) return { ok: true, files: [] }
  // The extension of this very file: .ts in development, .js in the compiled package.
  const thread = new Worker(new URL(`./yaml-thread${extname(import.meta.url)}`, import.meta.url), {
    workerData: task,
    resourceLimits: { maxOldGenerationSizeMb: memoryLimitMb },
  })
  const { promise, resolve, reject } = Promise.withResolvers<YamlAnswer>()
  const stopped = (why: string) =>
    resolve({ ok: false, error: `The YAML files were not read to an end: ${why}` })
  const timer = setTimeout(() => stopped(`they take more than ${timeLimitMs / 1_000} seconds`), timeLimitMs)
  thread.on('message', resolve)
  thread.on('error', (error: NodeJS.ErrnoException) => {
    if (error.code === 'ERR_WORKER_OUT_OF_MEMORY')
      stopped(`they take more than ${memoryLimitMb} MB of memory`)
    else reject(error)
  })
  thread.on('exit', (code) => reject(new Error(`the YAML thread ended with code ${code} and no answer`)))
  try {
    return await promise
  } finally {
    clearTimeout(timer)
    await thread.terminate()
  }
}
