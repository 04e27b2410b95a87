import { compareVersions } from '@tutti/dsl'
import type { Database, Scope } from '@tutti/storage'
import { findPackages, type InstallablePlugin, type WantedPlugin } from './find-installable-queries.ts'

/**
 * The uploaded plugins that are what a plan names, of those in the scope; best first: the highest version, of equal ones
 * the tenant's own, then what was uploaded last. None where it cannot be had. Which of them fits a machine, by its
 * platform and Python, that machine says: it takes the first that does.
 */
export async function findInstallable(
  db: Database,
  scope: Scope,
  wanted: WantedPlugin,
): Promise<readonly InstallablePlugin[]> {
  const found = await findPackages(db, scope, wanted)
  return found.toSorted((a, b) => compareVersions(b.package_version, a.package_version))
}

/** The first of these that is not to be had. */
export async function findMissingPlugin<Wanted extends WantedPlugin>(
  db: Database,
  scope: Scope,
  wanted: readonly Wanted[],
): Promise<Wanted | undefined> {
  const known = new Set<string>()
  for (const plugin of wanted) {
    const { package_name: name, package_version: version, distribution, distribution_version } = plugin
    const { supported_platform: platform, distribution_release: release } = plugin
    const key = JSON.stringify([name, version, platform, distribution, distribution_version, release])
    if (known.has(key)) continue
    known.add(key)
    if ((await findPackages(db, scope, plugin)).length === 0) return plugin
  }
  return undefined
}
