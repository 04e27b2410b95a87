import { join } from 'node:path'
import { openDatabase } from '@tutti/storage'

/** Rows of a bench are made by statements that take longer than any of Tutti's may. */
const silenceMs = 300_000

/** One statement on the embedded database of a running manager. */
export async function query(dataFolder: string, text: string): Promise<Record<string, unknown>[]> {
  const host = join(dataFolder, 'postgresql')
  const { pool, close } = openDatabase({
    host,
    port: 5432,
    user: 'tutti',
    database: 'tutti',
    max: 1,
    silenceMs,
  })
  try {
    return (await pool.query(text)).rows
  } finally {
    await close()
  }
}
