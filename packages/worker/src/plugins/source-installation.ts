import { appendFile, mkdir } from 'node:fs/promises'
import { dirname, join, resolve, sep } from 'node:path'
import { type ExecutionRow, withoutCredentials } from '@tutti/storage'
import { logFileOf, operationUser } from '../operations/index.ts'
import { blueprintFolder } from '../resources-folder/index.ts'
import { environmentName } from './folders.ts'
import type { InstallServices } from './install-plugin.ts'
import { installSource } from './install-source.ts'
import { PluginInstallationError } from './installation-error.ts'
import type { Installation } from './installations.ts'
import type { Interpreter } from './interpreter.ts'
import { type BlueprintOf, readBlueprintOf } from './queries.ts'
import type { UsedPlugin } from './used-plugin.ts'

/**
 * How a plugin that a blueprint brings along gets its environment, for one deployment; what pip prints goes where the
 * output of the deployment's operations goes. @throws PluginInstallationError
 */
export async function sourceInstallation(
  { db, settings, log, counts }: InstallServices,
  plugin: UsedPlugin & { readonly source: string },
  { tenant_id: tenantId, deployment_id: deploymentId }: ExecutionRow,
  interpreter: Interpreter,
): Promise<Installation> {
  const blueprint = deploymentId === null ? undefined : await readBlueprintOf(db, tenantId, deploymentId)
  if (deploymentId === null || blueprint === undefined)
    throw new PluginInstallationError('it has no blueprint that would bring it along')
  const { environment, python } = settings
  const { name, source, install_arguments: installArguments, package_version: version } = plugin
  const user = operationUser(settings.operationUsers, tenantId)
  const file = logFileOf(environment.logFolder, tenantId, deploymentId)
  let written = mkdir(dirname(file), { recursive: true, mode: 0o700 }).then(() => {})
  const shown = withoutCredentials(source)
  const fields = { plugin: name, source: shown, deployment: deploymentId, tenant_id: tenantId }
  return {
    name: environmentName(`source-${name}`, [
      ...[tenantId, deploymentId, blueprint.sha256],
      ...[name, version, source, installArguments],
      ...[interpreter.key, environment.runtimeFolder],
    ]),
    origin: { kind: 'source', tenantId, deploymentId, sha256: blueprint.sha256 },
    user,
    async make(folder, signal) {
      log.info(fields, 'installing a plugin from its source')
      const where = isAddress(source) ? source : sourceFolder(environment.resourcesFolder, blueprint, source)
      try {
        return await installSource({ source: where, installArguments }, folder, settings.workFolder, {
          python,
          user,
          environment,
          signal,
          onProgress: () => {},
          onOutput: (text) => {
            written = written
              .then(() => appendFile(file, text, { mode: 0o600 }))
              .catch((error) => log.warn({ ...fields, err: error }, 'what pip prints could not be kept'))
          },
        })
      } catch (error) {
        if (!signal.aborted) counts.installed.inc({ outcome: 'failed' })
        throw error
      } finally {
        await written
      }
    },
    async onMade() {
      counts.installed.inc({ outcome: 'succeeded' })
      log.info(fields, 'installed a plugin from its source')
    },
  }
}

const isAddress = (source: string): boolean => /^[a-z][a-z0-9+.-]*:\/\//i.test(source)

/** @throws PluginInstallationError */
function sourceFolder(resources: string, { tenant, id }: BlueprintOf, source: string): string {
  const blueprint = blueprintFolder(resources, tenant, id)
  if (blueprint === undefined)
    throw new PluginInstallationError(
      `the files of the blueprint ${id} are not laid out here, as its id is no name of a folder`,
    )
  const plugins = join(blueprint, 'plugins')
  const folder = resolve(plugins, source)
  if (folder === plugins || folder.startsWith(plugins + sep)) return folder
  throw new PluginInstallationError(`its source "${source}" is not in the blueprint's folder "plugins"`)
}
