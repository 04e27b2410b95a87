import { type Database, toJson } from '@tutti/storage'

const contextId = 'CONTEXT'

export async function findProviderContext(db: Database) {
  return db
    .selectFrom('provider_context')
    .select(['id', 'name', 'context'])
    .where('id', '=', contextId)
    .executeTakeFirst()
}

/** Returns false when there is one already and it is not to be replaced. */
export async function writeProviderContext(
  db: Database,
  row: { readonly name: string; readonly context: unknown },
  replaces: boolean,
): Promise<boolean> {
  const values = { name: row.name, context: toJson(row.context) }
  const written = await db
    .insertInto('provider_context')
    .values({ id: contextId, ...values })
    .onConflict((conflict) =>
      replaces ? conflict.column('id').doUpdateSet(values) : conflict.column('id').doNothing(),
    )
    .returning('id')
    .executeTakeFirst()
  return written !== undefined
}
