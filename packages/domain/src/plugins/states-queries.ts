import type { PluginState } from '@tutti/api'
import {
  type Database,
  ownedAs,
  type PluginProgress,
  type Scope,
  type Transaction,
  toJson,
  visibleIn,
} from '@tutti/storage'
import { sql } from 'kysely'

export type PluginKey = { readonly tenantId: number; readonly pluginId: string }

/** Where a plugin is installed: a manager's machine, by its hostname, or an agent. */
export type InstallationPlace =
  | { readonly manager: string }
  | { readonly agent: { readonly tenantId: number; readonly name: string } }

export type InstallationReport = {
  readonly state: PluginState
  readonly error?: string | null
  readonly progress?: PluginProgress | null
}

/** Nothing where the plugin has been deleted meanwhile. */
export async function writePluginState(
  db: Database,
  { tenantId, pluginId }: PluginKey,
  place: InstallationPlace,
  { state, error = null, progress = null }: InstallationReport,
): Promise<void> {
  const row = placeColumns(place)
  await sql`
    insert into plugin_states as s (tenant_id, plugin_id, manager, agent_tenant_id, agent, state, error, progress)
    select p.tenant_id, p.id, ${row.manager}::text, ${row.agent_tenant_id}::int, ${row.agent}::text, ${state}::text,
      ${error}::text, ${progress === null ? null : toJson(progress)}::json
    from plugins p where p.tenant_id = ${tenantId} and p.id = ${pluginId}
    for key share
    on conflict ${conflictOf(place)} do update set state = excluded.state, error = excluded.error,
      progress = excluded.progress, updated_at = clock_timestamp()`.execute(db)
}

/** What is being installed there already goes on. */
export async function askForInstallation(
  transaction: Transaction,
  { tenantId, pluginId }: PluginKey,
  place: InstallationPlace,
): Promise<void> {
  const row = placeColumns(place)
  await sql`
    insert into plugin_states as s (tenant_id, plugin_id, manager, agent_tenant_id, agent, state)
    values (${tenantId}, ${pluginId}, ${row.manager}, ${row.agent_tenant_id}, ${row.agent}, 'pending-install')
    on conflict ${conflictOf(place)} do update set state = 'pending-install', error = null, progress = null,
      updated_at = clock_timestamp() where s.state <> 'installing'`.execute(transaction)
}

const placeColumns = (place: InstallationPlace) =>
  'manager' in place
    ? { manager: place.manager, agent_tenant_id: null, agent: null }
    : { manager: null, agent_tenant_id: place.agent.tenantId, agent: place.agent.name }

const conflictOf = (place: InstallationPlace) =>
  'manager' in place
    ? sql`(tenant_id, plugin_id, manager) where manager is not null`
    : sql`(tenant_id, plugin_id, agent_tenant_id, agent) where agent is not null`

/** Of these agents, those that the scope shows; with their tenants. */
export async function findAgents(db: Database, scope: Scope, names: readonly string[]) {
  const { rows } = await sql<{ tenantId: number; name: string }>`
    select a.tenant_id as "tenantId", a.id as name from agents a
    join node_instances i on i.tenant_id = a.tenant_id and i.id = a.node_instance_id
    where a.id = any(${[...names]}::text[]) and ${visibleIn({ ...ownedAs('a'), seenWith: [ownedAs('i')] }, scope)}`.execute(
    db,
  )
  return rows
}
