import { builtRoutes, defaultPermissions, type RouteName, roles } from '@tutti/api'
import type { Call } from '@tutti/client'
import type { Word } from './complete.ts'

/** Where the ids of a thing come from. */
type Source = {
  readonly route: RouteName
  readonly key: string
  /** What the options so far narrow it to. */
  readonly query?: (options: Values) => Values
}
type Values = Readonly<Record<string, unknown>>

/** By the name that help texts have for the thing. */
const lists: Readonly<Record<string, Source>> = {
  blueprint: { route: 'blueprints.list', key: 'id' },
  deployment: { route: 'deployments.list', key: 'id' },
  execution: { route: 'executions.list', key: 'id' },
  'node-instance': { route: 'nodeInstances.list', key: 'id' },
  workflow: { route: 'workflows.list', key: 'name', query: ({ deploymentId: id }) => ({ id }) },
  secret: { route: 'secrets.list', key: 'key' },
  'secrets-provider': { route: 'secretsProviders.list', key: 'name' },
  site: { route: 'sites.list', key: 'name' },
  tenant: { route: 'tenants.list', key: 'name' },
  user: { route: 'users.list', key: 'username' },
  'user-group': { route: 'userGroups.list', key: 'name' },
  token: { route: 'tokens.list', key: 'id' },
  setting: { route: 'config.list', key: 'name' },
  manager: { route: 'managers.list', key: 'hostname' },
  'deployments-filter': { route: 'deploymentsFilters.list', key: 'id' },
  'blueprints-filter': { route: 'blueprintsFilters.list', key: 'id' },
  'deployment-group': { route: 'deploymentGroups.list', key: 'id' },
  'execution-group': { route: 'executionGroups.list', key: 'id' },
  agent: { route: 'agents.list', key: 'name' },
  broker: { route: 'brokers.list', key: 'name' },
}

const known: Readonly<Record<string, readonly string[]>> = {
  role: Object.keys(roles),
  permission: Object.keys(defaultPermissions),
}

const most = 100

/** Ids that begin with what is typed; those that the manager does not tell in time are none. */
export async function thingWords(
  name: string,
  typed: string,
  options: Values,
  call: () => Promise<Call>,
  signal: AbortSignal,
): Promise<readonly Word[]> {
  const list = lists[name]
  const ids =
    known[name] ?? (list === undefined ? [] : await askIds(list, typed, options, await call(), signal))
  return ids.filter((id) => id.startsWith(typed)).map((value) => ({ value, description: '' }))
}

async function askIds(
  { route, key, query: narrowed }: Source,
  typed: string,
  options: Values,
  call: Call,
  signal: AbortSignal,
): Promise<readonly string[]> {
  const isPaged = 'list' in builtRoutes[route]
  const paged = isPaged ? { _size: most, _search: typed === '' ? undefined : typed } : {}
  const query = { ...(narrowed?.(options) ?? paged) }
  const answer: unknown = await call(route, { query, signal } as object)
  const items: unknown =
    typeof answer === 'object' && answer !== null && 'items' in answer ? answer.items : []
  if (!Array.isArray(items)) return []
  return items.map((item: Readonly<Record<string, unknown>>) => String(item[key] ?? ''))
}
