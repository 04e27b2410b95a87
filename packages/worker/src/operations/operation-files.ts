import { fchown as changeOwner, close as closeFile, open as openByName, writeFile } from 'node:fs'
import { access, mkdir, open, rmdir, unlink } from 'node:fs/promises'
import { dirname, join } from 'node:path'
import { promisify } from 'node:util'
import { handOver, type OperationUser, ownFolder, removeFolder } from './operation-user.ts'
import type { JsonObject } from './outcome.ts'
import type { OperationEnvironment, OperationRequest } from './request.ts'

// Half as dear as those of fs/promises, which make an object for each file: a worker writes hundreds a second.
const write = promisify(writeFile)
const openFile = promisify(openByName)
const fchown = promisify(changeOwner)
const close = promisify(closeFile)
const exists = (path: string): Promise<boolean> =>
  access(path).then(
    () => true,
    () => false,
  )

/** Writes what the operation is told into its folder, and gives both to its user. */
export async function writeInput(
  request: OperationRequest,
  folder: string,
  name: string,
  more: JsonObject = {},
): Promise<void> {
  const input = {
    cloudify_context: request.context,
    args: [],
    kwargs: request.kwargs,
    journal: true,
    ...more,
  }
  // It holds tokens; the folder of mkdtemp is closed to other users as well. `wx`, and the file by its descriptor: where
  // a parent had the folder before, its user may have put a link there.
  const file = await openFile(join(folder, name), 'wx', 0o600)
  try {
    await write(file, JSON.stringify(input))
    if (request.user !== null) await fchown(file, request.user, request.user)
  } finally {
    await close(file)
  }
  await handOver(folder, request.user)
}

/**
 * Removes the operation's folder. As a rule nothing is in it but what is known here, and no process is needed for that:
 * its user can exchange what is in it for links, but not the folder itself.
 */
export async function removeOperationFolder(folder: string, user: OperationUser): Promise<void> {
  try {
    for (const name of ['input.json', 'output.json']) await unlink(join(folder, name)).catch(() => {})
    await rmdir(folder)
  } catch {
    await removeFolder(folder, user)
  }
}

/** Opens the log that the operation prints to: for whoever calls, who has to close it. */
export async function openLog(request: OperationRequest) {
  await makeLog(request)
  return open(request.logFile, 'a', 0o600)
}

/** Makes the log, unless it is there. */
export async function makeLog({ logFile }: OperationRequest): Promise<void> {
  if (await exists(logFile)) return
  await mkdir(dirname(logFile), { recursive: true, mode: 0o700 })
  await write(logFile, '', { flag: 'a', mode: 0o600 })
}

/** Its surroundings, with the folder of its user for lasting files of plugins, which is made. */
export async function ownSurroundings({
  environment,
  user,
}: OperationRequest): Promise<OperationEnvironment> {
  return { ...environment, pluginWorkFolder: await ownFolder(environment.pluginWorkFolder, user) }
}

/** Of which a log is kept, as rotating handlers of plugins keep theirs. */
export const logVariables = ({ logLimits }: OperationRequest) => ({
  AGENT_LOG_MAX_BYTES: String(logLimits.maxBytes),
  AGENT_LOG_MAX_HISTORY: String(logLimits.files),
})
