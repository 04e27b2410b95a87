import type { Database } from '@tutti/storage'
import { sql } from 'kysely'

export async function ping(db: Database): Promise<void> {
  await sql`select 1`.execute(db)
}
