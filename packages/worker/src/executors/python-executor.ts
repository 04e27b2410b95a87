import type { OperationOutcome } from '@tutti/engine'
import {
  type CloudifyContext,
  isNoSpace,
  killed,
  logFileOf,
  noSpaceIn,
  type OperationExecutor,
  type OperationRequest,
  operationUser,
  runOperation,
} from '../operations/index.ts'
import { type PluginEnvironment, PluginInstallationError, usedPlugin } from '../plugins/index.ts'
import type { ExecutorServices } from '../services.ts'
import { inResources } from './in-resources.ts'

/** Functions and scripts of blueprints and plugins, each in a Python process of its own, in a slot of the worker. */
export function createPythonExecutor(services: ExecutorServices): OperationExecutor {
  const { settings } = services
  const { environment } = settings
  return {
    places: services.slots,
    async run({ name, context, inputs, execution, timeLimit }, { signal, started, said }) {
      const plugin = usedPlugin(context.plugin)
      const request = ({ python, found }: PluginEnvironment): OperationRequest => ({
        // `chooseExecutor` has looked for what this needs of it.
        context: {
          ...(context as CloudifyContext),
          plugin: { ...(context as CloudifyContext).plugin, ...found },
        },
        kwargs: inputs,
        environment,
        workFolder: settings.workFolder,
        timeLimit,
        logFile: logFileOf(environment.logFolder, execution.tenant_id, execution.deployment_id),
        logLimits: settings.operationLogs,
        python,
        user: operationUser(settings.operationUsers, execution.tenant_id),
        said,
        warn: (error, what) =>
          services.log.warn({ err: error, execution_id: execution.id, operation: name }, what),
      })
      try {
        return await inResources(services, execution, signal, async () => {
          const own = await services.plugins.environmentOf(plugin, execution, signal)
          started()
          return runOperation(request(own), services.startPython, signal)
        })
      } catch (error) {
        if (signal.aborted) return killed
        if (error instanceof PluginInstallationError) return notInstalled(error)
        if (isNoSpace(error)) return noSpaceIn(error, settings.dataFolder)
        throw error
      }
    },
  }
}

/** Retried, as somebody may mend it meanwhile. */
const notInstalled = ({ name, message }: PluginInstallationError): OperationOutcome => ({
  ok: false,
  error: { kind: 'recoverable', type: name, message },
})
