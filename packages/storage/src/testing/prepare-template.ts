import { openDatabase } from '../database.ts'
import type { ConnectionConfig } from '../embedded/index.ts'
import { migrate } from '../migrations/index.ts'

/** Makes the schema of the template that every test database is a clone of. */
export async function prepareTemplate(connection: ConnectionConfig): Promise<void> {
  const { db, close } = openDatabase(connection)
  try {
    await migrate(db)
  } finally {
    await close()
  }
}
