import type { ConnectionConfig } from '../embedded/index.ts'

/** Makes the schema of the template that every test database is a clone of. */
export async function prepareTemplate(_connection: ConnectionConfig): Promise<void> {}
