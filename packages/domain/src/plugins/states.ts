import { ApiError, badParameter, notFound, pluginStates, type RouteBody, wireList } from '@tutti/api'
import { listProcesses, notify, type Transaction } from '@tutti/storage'
import { type Actor, ownTenantScope } from '../actor.ts'
import { checkOwnTenant } from '../owned.ts'
import { lockPlugin, requirePlugin } from './service.ts'
import { askForInstallation, findAgents, type InstallationPlace, writePluginState } from './states-queries.ts'

/**
 * Asks managers and agents to install a plugin; whoever they are finds that in `plugin_states`
 * (docs/reference/plugins.md, "Installation"). Where none are named, all managers that run operations.
 *
 * @throws unknown_action, illegal_action_error, not_found_error
 */
export async function installPlugin(
  actor: Actor,
  transaction: Transaction,
  id: string,
  { action, managers, agents }: RouteBody<'plugins.install'>,
): Promise<void> {
  if (action !== 'install') {
    throw new ApiError('unknown_action', `Invalid action: ${action}, valid action is: install`)
  }
  const plugin = await lockPlugin(actor, transaction, id)
  const key = { tenantId: plugin.tenant_id, pluginId: id }
  const isForAll = (managers ?? []).length === 0 && (agents ?? []).length === 0
  const running = new Set(await managersWithWorkers(transaction))
  const unknown = (managers ?? []).find((name) => !running.has(name))
  if (unknown !== undefined) {
    throw notFound('Manager', unknown, undefined, {
      hint: `Managers that run operations now: ${[...running].join(', ') || 'none'}`,
    })
  }
  const places: InstallationPlace[] = [...(isForAll ? running : new Set(managers ?? []))].map((manager) => ({
    manager,
  }))
  for (const agent of await requireAgents(actor, transaction, agents ?? [])) places.push({ agent })
  for (const place of places) await askForInstallation(transaction, key, place)
  await notify(transaction, { kind: 'plugin_asked', ...key })
}

async function managersWithWorkers(transaction: Transaction): Promise<readonly string[]> {
  const processes = await listProcesses(transaction)
  return processes
    .filter(({ isAlive, roles }) => isAlive && roles.includes('worker'))
    .map(({ hostname }) => hostname)
}

/** Of the actor's tenant. @throws not_found_error */
async function requireAgents(actor: Actor, transaction: Transaction, names: readonly string[]) {
  const found = await findAgents(transaction, ownTenantScope(actor), names)
  const missing = names.find((name) => !found.some((agent) => agent.name === name))
  if (missing !== undefined) throw notFound('Agent', missing)
  return found
}

/**
 * How an installation goes, as whoever installs says. A global plugin of another tenant is installed on agents of this
 * one too.
 *
 * @throws bad_parameters_error, conflict_error, illegal_action_error, not_found_error
 */
export async function setPluginState(
  actor: Actor,
  transaction: Transaction,
  id: string,
  { state, manager, agent, error }: RouteBody<'plugins.setState'>,
): Promise<void> {
  const known = pluginStates.find((one) => one === state)
  if (known === undefined) {
    throw badParameter(`Invalid state: ${state}. Valid states are: ${wireList(pluginStates)}`)
  }
  if ((manager == null) === (agent == null)) {
    throw new ApiError('conflict_error', 'Either a manager or an agent has to be named, and not both')
  }
  const plugin = await requirePlugin(actor, id)
  const key = { tenantId: plugin.tenant_id, pluginId: id }
  const report = { state: known, error: error ?? null }
  if (agent != null) {
    const [found] = await requireAgents(actor, transaction, [agent])
    if (found === undefined) throw notFound('Agent', agent)
    return writePluginState(transaction, key, { agent: found }, report)
  }
  checkOwnTenant(actor, plugin)
  const name = manager ?? ''
  const processes = await listProcesses(transaction)
  if (!processes.some(({ hostname }) => hostname === name)) throw notFound('Manager', name)
  await writePluginState(transaction, key, { manager: name }, report)
}
