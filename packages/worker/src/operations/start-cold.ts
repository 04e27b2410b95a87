import { join } from 'node:path'
import { childEnvironment } from './child-environment.ts'
import { logVariables, openLog, ownSurroundings, writeInput } from './operation-files.ts'
import type { StartProcess } from './process.ts'
import { startProcessGroup } from './process-group.ts'

/** Starts a Python interpreter for the operation. */
export const startCold: StartProcess = async (request, folder) => {
  const { context, python, user } = request
  await writeInput(request, folder, 'input.json')
  const environment = await ownSurroundings(request)
  const log = await openLog(request)
  try {
    return startProcessGroup({
      command: python,
      args: ['-u', join(environment.runtimeFolder, 'run_operation.py'), folder],
      environment: { ...childEnvironment(environment, context, python, user), ...logVariables(request) },
      // Not the operation's own folder: what a script writes next to itself, or a daemon's folder, must last.
      folder: environment.pluginWorkFolder,
      output: log.fd,
      user,
    })
  } finally {
    await log.close()
  }
}
