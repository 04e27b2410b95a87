import { type Database, notify, type StoredSetting, toJson } from '@tutti/storage'
import { sql } from 'kysely'

export async function writeSetting(
  db: Database,
  setting: { readonly scope: string; readonly name: string } & Pick<StoredSetting, 'value' | 'updater_name'>,
): Promise<void> {
  const change = {
    value: toJson(setting.value),
    updater_name: setting.updater_name,
    updated_at: sql<Date>`clock_timestamp()`,
  }
  await db.transaction().execute(async (transaction) => {
    await transaction
      .insertInto('config')
      .values({ scope: setting.scope, name: setting.name, ...change })
      .onConflict((conflict) => conflict.columns(['scope', 'name']).doUpdateSet(change))
      .execute()
    await notify(transaction, { kind: 'state_changed', state: 'config' })
  })
}
