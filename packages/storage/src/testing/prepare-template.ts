import { openDatabase } from '../database.ts'
import type { ConnectionConfig } from '../embedded/index.ts'
import { migrate } from '../migrations/index.ts'
import { openQueue } from '../queue.ts'

/** Makes the schema of the template that every test database is a clone of, with the tables of the queue. */
export async function prepareTemplate(connection: ConnectionConfig): Promise<void> {
  const { db, close } = openDatabase(connection)
  const errors: Error[] = []
  try {
    await migrate(db)
    const queue = await openQueue(connection, (error) => void errors.push(error))
    await queue.close()
  } finally {
    await close()
  }
  if (errors.length > 0) throw new AggregateError(errors, 'the queue of the template could not be made')
}
