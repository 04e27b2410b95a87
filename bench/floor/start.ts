import { fork } from 'node:child_process'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'

/** The floor in a process of its own, on the database of a running manager. */
export type Floor = { readonly url: string; readonly pid: number; stop(): void }

export function startFloor(dataFolder: string): Promise<Floor> {
  return new Promise((resolve, reject) => {
    const child = fork(fileURLToPath(new URL('server.ts', import.meta.url)), [join(dataFolder, 'postgresql')])
    child.once('message', (port) =>
      resolve({ url: `http://127.0.0.1:${port}`, pid: child.pid ?? 0, stop: () => child.disconnect() }),
    )
    child.once('error', reject)
    child.once('exit', (code) => reject(new Error(`the floor ended with exit code ${code}`)))
  })
}
