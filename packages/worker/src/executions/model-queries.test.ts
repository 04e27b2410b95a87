import { insertNodes, nodeBatch } from '@tutti/domain/nodes'
import { openDatabase } from '@tutti/storage'
import { createTestDatabase } from '@tutti/storage/testing'
import { sql } from 'kysely'
import { expect, test } from 'vitest'
import { loadModel } from './model-queries.ts'

test('nodes come in their order, and what they have in common is one object', async () => {
  const own = await createTestDatabase()
  const { db, close } = openDatabase({ ...own.connection, max: 2 })
  try {
    await db.insertInto('tenants').values({ id: 0, name: 'default_tenant' }).execute()
    await sql`insert into blueprints (tenant_id, id, state, created_by) values (0, 'd', 'uploaded', 'admin')`.execute(
      db,
    )
    await sql`insert into deployments (tenant_id, id, display_name, blueprint_tenant_id, blueprint_id, created_by)
      values (0, 'd', 'd', 0, 'd', 'admin')`.execute(db)
    const operations = { 'a.create': { plugin: 'script', inputs: { nul: '\u0000' } } }
    const ids = Array.from({ length: 450 }, (_, index) => `node_${450 - index}`)
    const rows = ids.map((id) => ({
      id,
      type: 't',
      type_hierarchy: '["t"]',
      host_id: null,
      properties: JSON.stringify({ id }),
      operations: JSON.stringify(operations),
      plugins: '[]',
      plugins_to_install: null,
      relationships: JSON.stringify([{ type: 'r', target_id: 'node_1', source_operations: operations }]),
      number_of_instances: 1,
      planned_number_of_instances: 1,
      deploy_number_of_instances: 1,
      min_number_of_instances: 0,
      max_number_of_instances: -1,
    }))
    const deployment = { tenant_id: 0, id: 'd', visibility: 'tenant', created_by: 'admin' } as const
    await db
      .transaction()
      .execute((transaction) =>
        insertNodes(transaction, deployment, [nodeBatch(rows.slice(0, 300)), nodeBatch(rows.slice(300))]),
      )
    const { nodes } = await loadModel(db, 0, 'd')
    expect(nodes.map(({ id }) => id)).toEqual(ids)
    expect(nodes.map(({ properties }) => properties)).toEqual(ids.map((id) => ({ id })))
    expect(nodes[0]?.operations).toEqual(operations)
    expect(nodes[0]?.relationships).toEqual(JSON.parse(rows[0]?.relationships ?? ''))
    const shared = nodes.flatMap((node) => [
      node.operations,
      ...node.relationships.map(({ source_operations: source }) => source),
    ])
    expect(new Set(shared).size).toBe(1)
  } finally {
    await close()
    await own.drop()
  }
})
