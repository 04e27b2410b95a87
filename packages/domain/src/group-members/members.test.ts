import { type OpenDatabase, openDatabase, type Transaction } from '@tutti/storage'
import { createTestDatabase, type TestDatabase } from '@tutti/storage/testing'
import { sql } from 'kysely'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { joinGroup } from './index.ts'

let own: TestDatabase
let database: OpenDatabase
beforeAll(async () => {
  own = await createTestDatabase()
  database = openDatabase({ ...own.connection, max: 3 })
  const { db } = database
  const owned = { tenant_id: 0, created_by: 'admin' }
  await db.insertInto('tenants').values({ id: 0, name: 'default_tenant' }).execute()
  await db
    .insertInto('blueprints')
    .values({ ...owned, id: 'app', state: 'uploaded' })
    .execute()
  for (const id of ['a', 'b']) {
    await db
      .insertInto('deployments')
      .values({ ...owned, id, display_name: id, blueprint_tenant_id: 0, blueprint_id: 'app' })
      .execute()
  }
  for (const id of ['one', 'two']) {
    await db
      .insertInto('deployment_groups')
      .values({ ...owned, id })
      .execute()
    await db
      .insertInto('deployment_group_labels')
      .values({ ...owned, deployment_group_id: id, key: 'of', value: 'groups' })
      .execute()
  }
})
afterAll(async () => {
  await database.close()
  await own.drop()
})

const join = (transaction: Transaction, group: string, ids: readonly string[]) =>
  joinGroup(transaction, 0, group, ids, 'admin')

/** Resolves when somebody waits for a lock. */
async function untilBlocked(): Promise<void> {
  for (;;) {
    const { rows } = await sql`
      select from pg_stat_activity where datname = current_database() and wait_event_type = 'Lock'`.execute(
      database.db,
    )
    if (rows.length > 0) return
  }
}

test('whoever waits for one of the members keeps none of the others from those that he waits for', async () => {
  let other: Promise<boolean> | undefined
  await database.db.transaction().execute(async (transaction) => {
    await join(transaction, 'one', ['a'])
    other = database.db.transaction().execute((waiting) => join(waiting, 'two', ['b', 'a']))
    await untilBlocked()
    // Did the other have `b` already, each would wait for the other now.
    await join(transaction, 'one', ['b'])
  })
  expect(await other).toBe(true)
  const members = await database.db
    .selectFrom('deployment_group_members')
    .select(['deployment_group_id', 'deployment_id'])
    .execute()
  expect(members).toHaveLength(4)
  const labels = await database.db
    .selectFrom('deployment_labels')
    .select(['deployment_id', 'value'])
    .execute()
  expect(labels).toHaveLength(2)
})
