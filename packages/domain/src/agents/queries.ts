import {
  agentTable,
  type Database,
  ownedAs,
  ownedResource,
  type Scope,
  timeField,
  type Visibility,
  visibleIn,
} from '@tutti/storage'
import { sql } from 'kysely'
import type { Sealed } from '../encryption/index.ts'

/** docs/reference/agents.md, "Records". */
export const agentResource = ownedResource(
  agentTable,
  {
    name: { column: sql`x.id` },
    host_id: { column: sql`x.node_instance_id` },
    node_instance_id: { column: sql`x.node_instance_id` },
    ip: { column: sql`x.ip` },
    install_method: { column: sql`x.install_method` },
    system: { column: sql`x.system` },
    version: { column: sql`x.version` },
    node: { column: sql`i.node_id` },
    node_id: { column: sql`i.node_id` },
    deployment: { column: sql`i.deployment_id` },
    deployment_id: { column: sql`i.deployment_id` },
    state: { column: sql`x.state` },
    rabbitmq_exchange: { column: sql`x.rabbitmq_exchange` },
    rabbitmq_username: { column: sql`x.rabbitmq_username` },
    rabbitmq_password: { column: sql`x.rabbitmq_password` },
    updated_at: timeField(sql`x.updated_at`),
  },
  {
    from: sql`agents x
      left join tenants on tenants.id = x.tenant_id
      join node_instances i on i.tenant_id = x.tenant_id and i.id = x.node_instance_id`,
    // An agent is named after its host.
    seenWith: [ownedAs('i')],
    extraFilters: {
      node_ids: sql`i.node_id`,
      node_instance_ids: sql`x.node_instance_id`,
      install_methods: sql`x.install_method`,
    },
  },
)

export type NewAgent = {
  readonly tenant_id: number
  readonly id: string
  readonly node_instance_id: string
  readonly state: string
  readonly ip: string | null
  readonly install_method: string | null
  readonly system: string | null
  readonly version: string | null
  readonly rabbitmq_username: string | null
  readonly rabbitmq_password: Sealed | null
  readonly rabbitmq_exchange: string | null
  readonly visibility: Visibility
  readonly created_by: string
  readonly created_at?: Date
}

export async function insertAgent(db: Database, agent: NewAgent): Promise<void> {
  await db.insertInto('agents').values(agent).execute()
}

export type AgentChange = { readonly state?: string; readonly system?: string; readonly version?: string }

export async function updateAgent(
  db: Database,
  tenantId: number,
  id: string,
  change: AgentChange,
): Promise<void> {
  await db
    .updateTable('agents')
    .set({ ...change, updated_at: sql`clock_timestamp()` })
    .where('tenant_id', '=', tenantId)
    .where('id', '=', id)
    .execute()
}

/** Of all tenants, but for those that are gone from their hosts. */
export async function countAgents(db: Database): Promise<number> {
  const { count } = await db
    .selectFrom('agents')
    .select(sql<number>`count(*)::int`.as('count'))
    .where('state', '!=', 'deleted')
    .executeTakeFirstOrThrow()
  return count
}

/** Whether the scope shows the instance. */
export async function hasInstance(db: Database, scope: Scope, id: string): Promise<boolean> {
  const { rows } = await sql`
    select from node_instances i where i.id = ${id} and ${visibleIn(ownedAs('i'), scope)}`.execute(db)
  return rows.length > 0
}
