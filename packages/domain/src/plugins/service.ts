import { ApiError, type ListQuery, parseSetVisibility, type RouteBody } from '@tutti/api'
import { deleteOwned, listPage, pluginTable, type Transaction, toJson, usersText } from '@tutti/storage'
import { type Actor, tenantScope } from '../actor.ts'
import { systemWorkflowRuns } from '../executions/index.ts'
import { listScope } from '../list-scope.ts'
import { answerItem, checkNewOwner, checkNewVisibility, lockOwned, requireOwned } from '../owned.ts'
import { parsePluginLabels } from './plugin-labels.ts'
import {
  blueprintsUsing,
  hasSamePlugin,
  lockPackage,
  type PluginRow,
  pluginColumns,
  pluginResource,
  updatePlugin,
} from './queries.ts'
import { samePlugin } from './same-plugin.ts'

export async function listPlugins(actor: Actor, query: ListQuery) {
  return listPage(actor.services.db, pluginResource, query, await listScope(actor, query, 'plugin_list'))
}

/** @throws not_found_error */
export const getPlugin = (actor: Actor, id: string, include?: readonly string[]) =>
  answerItem(actor, pluginResource, id, include)

/** The plugin's row where the caller sees it. @throws not_found_error */
export const requirePlugin = (actor: Actor, id: string) =>
  requireOwned<PluginRow>(actor, actor.services.db, pluginTable, id, pluginColumns)

/** The same to be changed. @throws not_found_error, illegal_action_error */
export const lockPlugin = (actor: Actor, transaction: Transaction, id: string) =>
  lockOwned<PluginRow>(actor, transaction, pluginTable, id, pluginColumns)

/** @throws bad_parameters_error, forbidden_error, illegal_action_error, not_found_error */
export async function changePlugin(
  actor: Actor,
  transaction: Transaction,
  id: string,
  { creator, labels, blueprint_labels: blueprintLabels }: RouteBody<'plugins.update'>,
): Promise<void> {
  const change = {
    ...(labels !== undefined && { labels: toJson(parsePluginLabels('labels', labels)) }),
    ...(blueprintLabels !== undefined && {
      blueprint_labels: toJson(parsePluginLabels('blueprint_labels', blueprintLabels)),
    }),
  }
  const plugin = await lockPlugin(actor, transaction, id)
  if (creator !== undefined) await checkNewOwner(actor, transaction, creator)
  await updatePlugin(transaction, plugin.tenant_id, id, {
    ...change,
    ...(creator !== undefined && { created_by: creator }),
  })
}

/**
 * Only ever wider.
 *
 * @throws bad_parameters_error, conflict_error, forbidden_error, illegal_action_error, not_found_error
 */
export async function setPluginVisibility(
  actor: Actor,
  transaction: Transaction,
  id: string,
  visibility: string,
): Promise<void> {
  const wanted = parseSetVisibility(visibility)
  // In the order of an upload, which may name this id: of two that hold one lock each and want the other's, one fails.
  const { package_name: packageName } = await requirePlugin(actor, id)
  await lockPackage(transaction, packageName)
  const plugin = await lockPlugin(actor, transaction, id)
  await checkNewVisibility(actor, transaction, pluginTable, plugin, wanted)
  if (wanted === 'global' && (await hasSamePlugin(transaction, plugin.tenant_id, plugin, plugin))) {
    throw samePlugin(plugin)
  }
  await updatePlugin(transaction, plugin.tenant_id, id, { visibility: wanted })
}

/** docs/reference/plugins.md, "Deletion". @throws existing_running_execution_error, plugin_in_use and others */
export async function removePlugin(
  actor: Actor,
  transaction: Transaction,
  id: string,
  isForced: boolean,
): Promise<void> {
  const plugin = await lockPlugin(actor, transaction, id)
  if (await systemWorkflowRuns(transaction)) {
    throw new ApiError(
      'existing_running_execution_error',
      `Plugin ${id} cannot be deleted while a workflow of the whole manager runs or waits`,
      { hint: 'Wait until it has ended' },
    )
  }
  if (!isForced) {
    const users = await blueprintsUsing(transaction, tenantScope(actor), plugin)
    if (users.total > 0) {
      throw new ApiError(
        'plugin_in_use',
        `Plugin ${id} is currently in use in blueprints: ${usersText(users)}. You can "force" plugin removal.`,
      )
    }
  }
  await deleteOwned(transaction, pluginTable, plugin)
}
