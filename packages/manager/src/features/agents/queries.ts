import { type Database, type ListedResource, ownerFields, timeField, type Visibility } from '@tutti/storage'
import { sql } from 'kysely'

/** spec/rest-spec-b.md 2.1, spec/rest-facts-b.md 8. */
export function agentResource({ withData }: { readonly withData: boolean }): ListedResource {
  return {
    model: 'Agent',
    from: sql`agents a
      join tenants on tenants.id = a.tenant_id
      join node_instances i on i.tenant_id = a.tenant_id and i.id = a.node_instance_id`,
    fields: {
      id: { column: sql`a.id` },
      name: { column: sql`a.id` },
      host_id: { column: sql`a.node_instance_id` },
      node_instance_id: { column: sql`a.node_instance_id` },
      ip: { column: sql`a.ip` },
      install_method: { column: sql`a.install_method` },
      system: { column: sql`a.system` },
      version: { column: sql`a.version` },
      node: { column: sql`i.node_id` },
      node_id: { column: sql`i.node_id` },
      deployment: { column: sql`i.deployment_id` },
      deployment_id: { column: sql`i.deployment_id` },
      state: { column: sql`a.state` },
      rabbitmq_exchange: { column: sql`a.rabbitmq_exchange` },
      rabbitmq_username: { column: withData ? sql`a.rabbitmq_username` : sql`null::text` },
      rabbitmq_password: { column: sql`null::text` },
      updated_at: timeField(sql`a.updated_at`),
      ...ownerFields('a'),
    },
    extraFilters: {
      node_ids: sql`i.node_id`,
      node_instance_ids: sql`a.node_instance_id`,
      install_methods: sql`a.install_method`,
    },
    search: sql`a.id`,
    tenantId: sql`a.tenant_id`,
    createdBy: sql`a.created_by`,
    visibility: sql`a.visibility`,
    tieBreaker: sql`a.id`,
  }
}

export const agentNameIs = (name: string) => sql`a.id = ${name}`

export type NewAgent = {
  readonly id: string
  readonly node_instance_id: string
  readonly state: string
  readonly ip: string | null
  readonly install_method: string | null
  readonly system: string | null
  readonly version: string | null
  readonly rabbitmq_username: string | null
  readonly rabbitmq_exchange: string | null
  readonly visibility: Visibility
  readonly created_by: string
  readonly created_at: Date | undefined
}

/** False when there is one of that name. */
export async function insertAgent(db: Database, tenantId: number, agent: NewAgent): Promise<boolean> {
  const { created_at, ...values } = agent
  const row = await db
    .insertInto('agents')
    .values({ tenant_id: tenantId, ...values, ...(created_at !== undefined && { created_at }) })
    .onConflict((conflict) => conflict.doNothing())
    .returning('id')
    .executeTakeFirst()
  return row !== undefined
}

export type AgentChange = { readonly state?: string; readonly system?: string; readonly version?: string }

/** False when there is none of that name that the caller may see. */
export async function updateAgent(
  db: Database,
  { tenantId, username, seesPrivate }: { tenantId: number; username: string; seesPrivate: boolean },
  name: string,
  change: AgentChange,
): Promise<boolean> {
  const row = await db
    .updateTable('agents')
    .set({ ...change, updated_at: sql`clock_timestamp()` })
    .where('tenant_id', '=', tenantId)
    .where('id', '=', name)
    .where(sql<boolean>`(visibility <> 'private' or created_by = ${username} or ${seesPrivate})`)
    .returning('id')
    .executeTakeFirst()
  return row !== undefined
}

/** Whether the tenant has the instance. */
export async function hasInstance(db: Database, tenantId: number, id: string): Promise<boolean> {
  const row = await db
    .selectFrom('node_instances')
    .select('id')
    .where('tenant_id', '=', tenantId)
    .where('id', '=', id)
    .executeTakeFirst()
  return row !== undefined
}

export async function userExists(db: Database, username: string): Promise<boolean> {
  return (
    (await db.selectFrom('users').select('id').where('username', '=', username).executeTakeFirst()) !==
    undefined
  )
}
