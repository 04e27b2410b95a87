import {
  type CloudifyContext,
  isNoSpace,
  logFileOf,
  noSpaceIn,
  type OperationExecutor,
  type OperationRequest,
  operationUser,
  runOperation,
} from '../operations/index.ts'
import type { ExecutorServices } from '../services.ts'
import { inResources } from './in-resources.ts'

/** Functions and scripts of blueprints, each in a Python process of its own, in a slot of the worker. */
export function createPythonExecutor(services: ExecutorServices): OperationExecutor {
  const { settings } = services
  const { environment } = settings
  return {
    places: services.slots,
    async run({ name, context, inputs, execution, timeLimit }, { signal, started, said }) {
      started()
      const request: OperationRequest = {
        // `chooseExecutor` has looked for what this needs of it.
        context: context as CloudifyContext,
        kwargs: inputs,
        environment,
        workFolder: settings.workFolder,
        timeLimit,
        logFile: logFileOf(environment.logFolder, execution.tenant_id, execution.deployment_id),
        logLimits: settings.operationLogs,
        python: settings.python,
        user: operationUser(settings.operationUsers, execution.tenant_id),
        said,
        warn: (error, what) =>
          services.log.warn({ err: error, execution_id: execution.id, operation: name }, what),
      }
      try {
        return await inResources(services, execution, signal, () =>
          runOperation(request, services.startPython, signal),
        )
      } catch (error) {
        if (isNoSpace(error)) return noSpaceIn(error, settings.dataFolder)
        throw error
      }
    },
  }
}
