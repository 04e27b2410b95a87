import type { Kysely } from 'kysely'
import { type Migration, Migrator } from 'kysely/migration'
import * as initial from './0001-initial.ts'
import * as executionStep from './0002-execution-step.ts'
import * as unfinishedByDeployment from './0003-unfinished-by-deployment.ts'
import * as access from './0004-access.ts'
import * as sites from './0010-sites.ts'
import * as secrets from './0011-secrets.ts'
import * as filters from './0012-filters.ts'
import * as config from './0020-config.ts'
import * as maintenance from './0021-maintenance.ts'
import * as cluster from './0022-cluster.ts'
import * as license from './0023-license.ts'
import * as audit from './0024-audit.ts'
import * as agents from './0025-agents.ts'
import * as ldap from './0030-ldap.ts'
import * as groups from './0040-groups.ts'
import * as environments from './0050-environments.ts'
import * as queuedChecks from './0060-queued-checks.ts'
import * as coordinator from './0074-coordinator.ts'
import * as awaitedTargets from './0078-awaited-targets.ts'
import * as workdirs from './0079-workdirs.ts'
import * as deploymentFolders from './0082-deployment-folders.ts'
import * as executionPhase from './0090-execution-phase.ts'
import * as requestIds from './0100-request-ids.ts'
import * as planParts from './0120-plan-parts.ts'
import * as eventCounts from './0130-event-counts.ts'
import * as eventTruncation from './0131-event-truncation.ts'
import * as deploymentModifications from './0140-deployment-modifications.ts'
import * as plugins from './0150-plugins.ts'
import * as pluginPackages from './0151-plugin-packages.ts'
import * as deploymentUpdates from './0180-deployment-updates.ts'

/** Numbered, forward-only; one needs at most those before it. Never change one that has been released. */
const migrations: Record<string, Migration> = {
  '0001-initial': initial,
  '0002-execution-step': executionStep,
  '0003-unfinished-by-deployment': unfinishedByDeployment,
  '0004-access': access,
  '0010-sites': sites,
  '0011-secrets': secrets,
  '0012-filters': filters,
  '0020-config': config,
  '0021-maintenance': maintenance,
  '0022-cluster': cluster,
  '0023-license': license,
  '0024-audit': audit,
  '0025-agents': agents,
  '0030-ldap': ldap,
  '0040-groups': groups,
  '0050-environments': environments,
  '0060-queued-checks': queuedChecks,
  '0074-coordinator': coordinator,
  '0078-awaited-targets': awaitedTargets,
  '0079-workdirs': workdirs,
  '0082-deployment-folders': deploymentFolders,
  '0090-execution-phase': executionPhase,
  '0100-request-ids': requestIds,
  '0120-plan-parts': planParts,
  '0130-event-counts': eventCounts,
  '0131-event-truncation': eventTruncation,
  '0140-deployment-modifications': deploymentModifications,
  '0150-plugins': plugins,
  '0151-plugin-packages': pluginPackages,
  '0180-deployment-updates': deploymentUpdates,
}

/**
 * Brings the database up to this version of Tutti. Safe when several processes start at once: Kysely takes
 * an advisory lock, so one migrates and the others wait and find nothing left to do.
 */
// biome-ignore lint/suspicious/noExplicitAny: Kysely's own signature; a migration knows no schema type
export async function migrate(db: Kysely<any>): Promise<void> {
  const migrator = new Migrator({
    db,
    provider: { getMigrations: async () => migrations },
    // Work that went on side by side numbers its migrations in blocks: one may arrive after a later one.
    allowUnorderedMigrations: true,
  })
  const { error, results } = await migrator.migrateToLatest()
  if (error === undefined) return
  const failed = results?.find((result) => result.status === 'Error')?.migrationName ?? 'preparation'
  throw new Error(`The database could not be migrated (${failed}): ${String(error)}`, { cause: error })
}
