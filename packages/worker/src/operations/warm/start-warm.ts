import { randomUUID } from 'node:crypto'
import { chmod, chown, link, rename, rm } from 'node:fs/promises'
import { join } from 'node:path'
import { changesStart, commonEnvironment, ownEnvironment } from '../child-environment.ts'
import { watcher } from '../group-watcher.ts'
import { killStarted } from '../kill-started.ts'
import { logVariables, makeLog, ownSurroundings, writeInput } from '../operation-files.ts'
import type { Exit, OperationProcess, StartProcess } from '../process.ts'
import type { OperationEnvironment, OperationRequest } from '../request.ts'
import { leaderOf } from '../session.ts'
import { startCold } from '../start-cold.ts'
import { orphansExit } from './orphan.ts'
import type { ParentCommand } from './parent.ts'
import type { ParentEvents, Parents } from './parents.ts'

/** Whoever may end a parent, any operation of its user, could keep another from being started for ever. */
const mostParents = 3

/** Has a parent fork for the operation; without one, starts an interpreter for it. */
export function startWarm(parents: Parents, { onFork }: Pick<ParentEvents, 'onFork'>): StartProcess {
  const commandOf = rememberedCommands()
  return async (request, folder) => {
    const { context, user } = request
    const own = { ...ownEnvironment(context, user), ...logVariables(request) }
    if (changesStart(own)) return startCold(request, folder)
    const command = await commandOf(request)
    if ((await parents.of(command)) === undefined) return startCold(request, folder)
    const output = await outputFor(request, folder)
    if (output === undefined) return startCold(request, folder)
    const mark = randomUUID()
    const process = {
      variables: own,
      // Not the operation's own folder: what a script writes next to itself, or a daemon's folder, must last.
      folder: command.folder,
      output,
      is_output_link: user !== null,
    }
    await writeInput(request, folder, claimOf(0), { process })
    // Before it starts: its leader is known only when it has, and may be anybody's number.
    const watched = { leader: 0, mark }
    watcher.watch(watched)
    const started = (leader: number | null, exit: Promise<Exit>): OperationProcess => {
      const leave = () => watcher.release(watched)
      onFork()
      return { exit, kill: (graceMs) => killStarted({ leader, mark, user }, graceMs).finally(leave), leave }
    }
    try {
      for (let attempt = 0; attempt < mostParents; attempt += 1) {
        const forked = await (await parents.of(command))?.fork(folder, claimOf(attempt), mark)
        if (forked?.kind === 'started') {
          const { pid, exit } = forked
          return started(
            pid,
            exit.then((ended) => (ended === 'orphaned' ? orphansExit(pid, folder) : ended)),
          )
        }
        if (forked?.kind === 'refused') throw new Error(`no process for the operation: ${forked.reason}`)
        if (!(await isTakenBack(folder, attempt))) {
          const leader = leaderOf(mark)
          return started(leader, orphansExit(leader, folder))
        }
      }
    } catch (error) {
      watcher.release(watched)
      throw error
    }
    watcher.release(watched)
    await rm(join(folder, claimOf(mostParents)), { force: true })
    return startCold(request, folder)
  }
}

/** They are the same for all operations of a user, and make up much of what the worker itself does for one. */
function rememberedCommands(): (request: OperationRequest) => Promise<ParentCommand> {
  const remembered = new Map<
    string,
    { readonly given: OperationEnvironment; readonly command: ParentCommand }
  >()
  return async (request) => {
    const { python, user, environment: given } = request
    const key = `${user} ${python}`
    const known = remembered.get(key)
    if (known?.given === given) return known.command
    const environment = await ownSurroundings(request)
    const command = {
      python,
      user,
      environment: commonEnvironment(environment, python, user),
      runtimeFolder: environment.runtimeFolder,
      folder: environment.pluginWorkFolder,
    }
    remembered.set(key, { given, command })
    return command
  }
}

/** Each parent gets another one, so that what an earlier one has forked can never begin later. */
const claimOf = (attempt: number) => `request-${attempt}.json`

/** Whether an operation whose parent died had not begun, and never will: who renames the file first has it. */
async function isTakenBack(folder: string, attempt: number): Promise<boolean> {
  try {
    await rename(join(folder, claimOf(attempt)), join(folder, claimOf(attempt + 1)))
    return true
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return false
    throw error
  }
}

/**
 * Where the operation finds the log that it prints to; undefined where it cannot be given one. The folder of logs is
 * closed to users of operations, so one of them gets a second name of the file in its own folder, and may write to it.
 */
async function outputFor(request: OperationRequest, folder: string): Promise<string | undefined> {
  const { logFile, user } = request
  await makeLog(request)
  if (user === null) return logFile
  const output = join(folder, 'output.log')
  try {
    await link(logFile, output)
  } catch (error) {
    request.warn(error, 'the log cannot be given to a warm process, so operations start slowly')
    return undefined
  }
  await chown(logFile, process.getuid?.() ?? 0, user)
  await chmod(logFile, 0o620)
  return output
}
