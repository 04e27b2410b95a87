import { extname } from 'node:path'
import { Worker } from 'node:worker_threads'
import type { BunzipAnswer, BunzipTask } from './bunzip-worker.ts'
import { tooLarge } from './limits.ts'
import { UnpackError } from './unpack-error.ts'

/**
 * Decompresses the bzip2 file `source` into the new file `target`, in a thread of its own: it is computing,
 * and Node's zlib has no bzip2. Stops after `maxBytes`: 10 GB of zeros are 7 KB of bzip2.
 *
 * @throws UnpackError `damaged`, `too_large`, and the signal's reason when it is given up
 */
export async function bunzip(task: BunzipTask, signal: AbortSignal): Promise<void> {
  // The extension of this very file: .ts in development, .js in the compiled package.
  const worker = new Worker(new URL(`./bunzip-worker${extname(import.meta.url)}`, import.meta.url), {
    workerData: task,
    resourceLimits: { maxOldGenerationSizeMb: 128 },
  })
  const stop = () => void worker.terminate()
  signal.addEventListener('abort', stop)
  const answer = await new Promise<BunzipAnswer>((resolve, reject) => {
    worker.on('message', resolve)
    worker.on('error', reject)
    worker.on('exit', (code) => {
      reject(signal.reason ?? new Error(`the bzip2 thread ended with code ${code} and no answer`))
    })
    if (signal.aborted) stop()
  }).finally(() => signal.removeEventListener('abort', stop))
  if (answer.kind === 'too_large') throw tooLarge(task.maxBytes)
  if (answer.kind === 'done') return
  throw new UnpackError(
    'damaged',
    `the bzip2 file is damaged or was cut off: ${answer.why}. Pack and upload it again`,
  )
}
