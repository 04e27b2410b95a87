import { isJsonObject, type JsonValue } from '@tutti/engine'

/** What the plan says of a plugin, in the context of an operation or of a workflow. */
export type UsedPlugin = {
  readonly name: string
  readonly package_name: string | null
  readonly package_version: string | null
  /** A folder of the blueprint, below `plugins/`, or an address. */
  readonly source: string | null
  readonly install: boolean
  readonly install_arguments: string | null
  readonly supported_platform: string | null
  readonly distribution: string | null
  readonly distribution_version: string | null
  readonly distribution_release: string | null
}

/** Reads `plugin` of a context. */
export function usedPlugin(plugin: JsonValue | undefined): UsedPlugin {
  const given = plugin !== undefined && isJsonObject(plugin) ? plugin : {}
  const text = (key: string): string | null => (typeof given[key] === 'string' ? given[key] : null)
  return {
    name: text('name') ?? '',
    package_name: text('package_name'),
    package_version: text('package_version'),
    source: text('source'),
    install: given.install !== false,
    install_arguments: text('install_arguments'),
    supported_platform: text('supported_platform'),
    distribution: text('distribution'),
    distribution_version: text('distribution_version'),
    distribution_release: text('distribution_release'),
  }
}
