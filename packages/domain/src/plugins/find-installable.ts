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
