import type { Database } from '@tutti/storage'

/** The instance `ID_1` of the deployment `ID`. */
export async function addInstance(db: Database, id: string): Promise<void> {
  const owner = { tenant_id: 0, visibility: 'tenant', created_by: 'admin' } as const
  await db
    .insertInto('blueprints')
    .values({ ...owner, id, state: 'uploaded' })
    .execute()
  await db
    .insertInto('deployments')
    .values({ ...owner, id, display_name: id, blueprint_tenant_id: 0, blueprint_id: id })
    .execute()
  await db
    .insertInto('nodes')
    .values({
      ...owner,
      deployment_id: id,
      id: 'node',
      position: 0,
      type: 't',
      type_hierarchy: '[]',
      properties: '{}',
      operations: '{}',
      plugins: '[]',
      relationships: '[]',
      number_of_instances: 1,
      planned_number_of_instances: 1,
      deploy_number_of_instances: 1,
      min_number_of_instances: 0,
      max_number_of_instances: -1,
    })
    .execute()
  await db
    .insertInto('node_instances')
    .values({
      ...owner,
      id: `${id}_1`,
      deployment_id: id,
      node_id: 'node',
      instance_index: 1,
      relationships: '[]',
      scaling_groups: '[]',
    })
    .execute()
}
