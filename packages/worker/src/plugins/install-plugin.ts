import { type Database, publicReason } from '@tutti/storage'
import type { WorkerLog } from '../log.ts'
import { installingUser, operationUser } from '../operations/index.ts'
import type { WorkerSettings } from '../settings.ts'
import { environmentName } from './folders.ts'
import { installWagon } from './install-wagon.ts'
import { PluginInstallationError } from './installation-error.ts'
import type { Installation } from './installations.ts'
import type { Interpreter } from './interpreter.ts'
import type { PluginMetrics } from './metrics.ts'
import { openTo } from './ownership.ts'
import type { StoredPlugin } from './queries.ts'
import { beginReport, type StateReport } from './states.ts'

export type InstallServices = {
  readonly db: Database
  readonly settings: WorkerSettings
  readonly log: WorkerLog
  readonly counts: PluginMetrics
}

/** How an uploaded plugin gets its environment for an interpreter, which is said in its state on this machine. */
export function wagonInstallation(
  { db, settings, log, counts }: InstallServices,
  plugin: StoredPlugin,
  interpreter: Interpreter,
): Installation {
  const { tenantId, id, sha256, packageName, packageVersion, visibility } = plugin
  const { environment, python, operationUsers } = settings
  const manager = environment.manager.name
  const fields = { plugin: packageName, version: packageVersion, plugin_id: id, tenant_id: tenantId }
  let report: StateReport | undefined
  let startedMs = 0

  return {
    name: environmentName(`${packageName}-${packageVersion}`, [
      ...[tenantId, id, sha256],
      ...[interpreter.key, environment.runtimeFolder],
    ]),
    origin: { kind: 'wagon', tenantId, pluginId: id, sha256 },
    user: null,
    async make(folder, signal) {
      log.info(fields, 'installing a plugin')
      startedMs = performance.now()
      report = await beginReport(db, plugin, manager, signal)
      try {
        const installed = await installWagon(db, plugin, folder, settings.workFolder, {
          python,
          user: installingUser(operationUsers),
          environment,
          signal,
          onProgress: report.progress,
          onOutput: () => {},
        })
        await openTo(folder, visibility, operationUser(operationUsers, tenantId))
        return installed
      } catch (error) {
        // It is begun again by the next worker.
        if (signal.aborted) throw error
        counts.installed.inc({ outcome: 'failed' })
        log.warn({ ...fields, err: error }, 'a plugin could not be installed')
        await report
          .end({ state: 'error', error: failure(plugin, manager, error) })
          .catch((unsaid) =>
            log.warn({ ...fields, err: unsaid }, 'the state of a plugin could not be written'),
          )
        throw error
      }
    },
    async onMade() {
      const seconds = (performance.now() - startedMs) / 1_000
      counts.installed.inc({ outcome: 'succeeded' })
      counts.seconds.observe(seconds)
      log.info({ ...fields, seconds }, 'installed a plugin')
      await report?.end({ state: 'installed' })
    },
  }
}

/** What, where, why, and what to do. */
export const failure = (
  { packageName, packageVersion }: Pick<StoredPlugin, 'packageName' | 'packageVersion'>,
  manager: string,
  error: unknown,
): string =>
  `Plugin ${packageName} ${packageVersion} could not be installed on ${manager}: ` +
  (error instanceof PluginInstallationError
    ? `${error.message}. Pack a wagon for this worker (tutti plugins pack), upload it, and try again`
    : publicReason(error))
