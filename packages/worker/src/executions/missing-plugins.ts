import { scopeOf } from '@tutti/domain'
import { findInstallable, type WantedPlugin } from '@tutti/domain/plugins'
import {
  cloudifyContext,
  each,
  isJsonObject,
  type JsonValue,
  type StoredOperation,
  type Work,
} from '@tutti/engine'
import type { Database, ExecutionRow } from '@tutti/storage'

/** The packages that operations need, by `packageKey`. */
export type WantedPlugins = ReadonlyMap<string, WantedPlugin>

/** What has to be uploaded for these operations: neither what a blueprint brings itself nor what is always here. */
export function* wantedPlugins(operations: readonly StoredOperation[]): Work<WantedPlugins> {
  const wanted = new Map<string, WantedPlugin>()
  yield* each(operations, (operation) => {
    const plugin = uploadedPlugin(cloudifyContext(operation.parameters)?.plugin)
    if (plugin !== undefined) wanted.set(packageKey(plugin), plugin)
  })
  return wanted
}

/** Those of them that whoever started the execution does not see, or nobody has uploaded. */
export async function missingPlugins(
  db: Database,
  { tenant_id: tenantId, created_by: username }: ExecutionRow,
  wanted: WantedPlugins,
): Promise<ReadonlySet<string>> {
  const missing = new Set<string>()
  if (wanted.size === 0) return missing
  const scope = await scopeOf(db, tenantId, username)
  for (const [key, plugin] of wanted) {
    if ((await findInstallable(db, scope, plugin)).length === 0) missing.add(key)
  }
  return missing
}

/** The package of the plugin of an operation, where it is one that has to be uploaded. */
export function uploadedPlugin(plugin: JsonValue | undefined): WantedPlugin | undefined {
  if (plugin === undefined || !isJsonObject(plugin) || plugin.install === false || plugin.source != null) {
    return undefined
  }
  const text = (name: string): string | null => (typeof plugin[name] === 'string' ? plugin[name] : null)
  const packageName = text('package_name')
  if (packageName === null) return undefined
  return {
    package_name: packageName,
    package_version: text('package_version'),
    supported_platform: text('supported_platform'),
    distribution: text('distribution'),
    distribution_version: text('distribution_version'),
    distribution_release: text('distribution_release'),
  }
}

export const packageKey = (plugin: WantedPlugin): string => JSON.stringify(Object.values(plugin))
