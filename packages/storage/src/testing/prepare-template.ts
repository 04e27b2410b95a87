import { Client } from 'pg'
import type { ConnectionConfig } from '../embedded/index.ts'

/** Makes the schema of the template that every test database is a clone of. */
export async function prepareTemplate(connection: ConnectionConfig): Promise<void> {
  const client = new Client(connection)
  await client.connect()
  try {
    // Until `migrate` is here: the same tables as in the first migration.
    await client.query(`
      create table archives (
        sha256 text primary key, size bigint not null, created_at timestamptz not null default clock_timestamp()
      );
      create table archive_chunks (
        sha256 text not null references archives on delete cascade,
        chunk_index int not null, data bytea not null, primary key (sha256, chunk_index)
      );
      alter table archive_chunks alter column data set storage external`)
  } finally {
    await client.end()
  }
}
