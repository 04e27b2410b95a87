/**
 * A process that owns an embedded PostgreSQL, for tests that kill it: `DATA_FOLDER CACHE_FOLDER [UID]`.
 * Prints one line of JSON; stops cleanly when its standard input ends.
 */
import { once } from 'node:events'
import { startEmbeddedPostgres } from '../src/embedded/index.ts'

const [dataFolder = '', cacheFolder = '', uid] = process.argv.slice(2)
if (uid !== undefined) {
  process.setgroups?.([])
  process.setgid?.(Number(uid))
  process.setuid?.(Number(uid))
}
try {
  const postgres = await startEmbeddedPostgres({
    dataFolder,
    cacheFolder,
    log: (line) => console.error(line),
  })
  console.log(JSON.stringify({ pid: postgres.pid, connectionString: postgres.connectionString }))
  process.stdin.resume()
  await once(process.stdin, 'end')
  await postgres.stop()
} catch (error) {
  console.log(JSON.stringify({ code: (error as { code?: string }).code, message: (error as Error).message }))
}
