import { type Config, type ConfigItem, defaultMaxResults, defaultPermissions, roles } from '@tutti/api'
import { defaultSettings } from '@tutti/engine'
import { maxConcurrentWorkflows } from '@tutti/storage'
import type { ManagerSettings } from '../../settings.ts'

/**
 * What the manager is set to, under the names of spec/rest-facts-b.md 12: only what this release acts on. Nothing is
 * editable by the API; settings come from flags, environment and file.
 */
export function readConfiguration(settings: ManagerSettings, scope: string | undefined): Config {
  const items = configItems(settings).filter((item) => scope === undefined || item.scope === scope)
  const withAuthorization = scope === undefined || scope === 'authorization'
  return { metadata: {}, items, ...(withAuthorization && { authorization: authorization() }) }
}

function configItems(settings: ManagerSettings): ConfigItem[] {
  return [
    item('rest', 'rest_service_log_level', settings.logLevel.toUpperCase(), 'string'),
    item('rest', 'default_page_size', defaultMaxResults, 'integer'),
    item('rest', 'max_concurrent_workflows', maxConcurrentWorkflows, 'integer'),
    // Accounts are never locked: −1 minutes.
    item('rest', 'account_lock_period', -1, 'integer'),
    item('rest', 'blueprint_folder_max_size_mb', Math.floor(settings.maxUnpackedBytes / 2 ** 20), 'integer'),
    item('rest', 'blueprint_folder_max_files', settings.maxUnpackedEntries, 'integer'),
    item('rest', 'file_server_type', 'local', 'string'),
    item('workflow', 'task_retries', defaultSettings.taskRetries, 'integer'),
    item('workflow', 'task_retry_interval', defaultSettings.taskRetryIntervalMs / 1000, 'integer'),
    item('workflow', 'subgraph_retries', defaultSettings.subgraphRetries, 'integer'),
  ]
}

function item(scope: string, name: string, value: string | number, type: 'string' | 'integer'): ConfigItem {
  return {
    name,
    value,
    scope,
    schema: { type },
    is_editable: false,
    admin_only: false,
    updated_at: null,
    updater_name: null,
  }
}

function authorization(): NonNullable<Config['authorization']> {
  return {
    roles: Object.entries(roles).map(([name, role], index) => ({ id: index, name, ...role })),
    permissions: Object.fromEntries(
      Object.entries(defaultPermissions).map(([permission, holders]) => [permission, [...holders]]),
    ),
  }
}
