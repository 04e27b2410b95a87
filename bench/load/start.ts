import { fork } from 'node:child_process'
import { fileURLToPath } from 'node:url'
import type { LoadRequest, LoadResult } from './generator.ts'

/** Runs the load generator in a process of its own, so that its work and the manager's do not share a thread. */
export function generateLoad(request: LoadRequest): Promise<LoadResult> {
  return new Promise((resolve, reject) => {
    const child = fork(fileURLToPath(new URL('generator.ts', import.meta.url)))
    child.once('message', (result) => resolve(result as LoadResult))
    child.once('error', reject)
    child.once('exit', (code) => reject(new Error(`the load generator ended with exit code ${code}`)))
    child.send(request)
  })
}
