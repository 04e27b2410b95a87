import { randomUUID } from 'node:crypto'
import { existsSync } from 'node:fs'
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
import { exitByAnswer, orphansExit } from './orphan.ts'
import type { ParentCommand } from './parent.ts'
import type { ParentEvents, Parents } from './parents.ts'

/** Whoever may end a parent, any operation of its user, could keep another from being started for ever. */
const mostParents = 3

/** How long an operation's parent has to tell the end of what was killed. */
const lastWordMs = 5_000

const orphaned = Promise.resolve('orphaned' as const)

/** What was to end before it had begun. */
const neverBegun: OperationProcess = {
  exit: Promise.resolve({ kind: 'signalled', signal: 'SIGKILL' }),
  async kill() {},
  leave() {},
}

/** Has a parent fork for the operation; without one, starts an interpreter for it. */
export function startWarm(parents: Parents, { onFork }: Pick<ParentEvents, 'onFork'>): StartProcess {
  const commandOf = rememberedCommands()
  return async (request, folder, stopped) => {
    const { context, user } = request
    const own = { ...ownEnvironment(context, user), ...logVariables(request) }
    if (changesStart(own)) return startCold(request, folder, stopped)
    const command = await commandOf(request)
    const isStopped = stopped.then(() => 'stopped' as const)
    const first = await Promise.race([parents.of(command), isStopped])
    if (first === 'stopped') return neverBegun
    if (first === undefined) return startCold(request, folder, stopped)
    const output = await outputFor(request, folder)
    if (output === undefined) return startCold(request, folder, stopped)
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
    const started = (leader: number | null, toldExit: Promise<Exit | 'orphaned'>): OperationProcess => {
      const over = new AbortController()
      const untold = Promise.withResolvers<Exit>()
      const leave = () => watcher.release(watched)
      onFork()
      return {
        exit: Promise.race([
          toldExit.then((told) => (told === 'orphaned' ? orphansExit(leader, folder, over.signal) : told)),
          untold.promise,
        ]),
        async kill(graceMs) {
          await killStarted({ leader, mark, user }, graceMs).finally(leave)
          // Nothing of it is left. Its parent says so as well, but may be halted, or lie.
          const timer = setTimeout(() => {
            over.abort()
            untold.resolve(exitByAnswer(folder))
          }, lastWordMs)
          toldExit.then((told) => told === 'orphaned' || clearTimeout(timer))
        },
        leave,
      }
    }
    const fork = async (attempt: number) => (await parents.of(command))?.fork(folder, claimOf(attempt), mark)
    try {
      for (let attempt = 0; attempt < mostParents; attempt += 1) {
        const forked = await Promise.race([fork(attempt), isStopped])
        if (forked === 'stopped') {
          if (!(await isTakenBack(folder, attempt))) return started(leaderOf(mark), orphaned)
          watcher.release(watched)
          await rm(join(folder, claimOf(attempt + 1)), { force: true })
          return neverBegun
        }
        if (forked?.kind === 'started') return started(forked.pid, forked.exit)
        if (forked?.kind === 'refused') throw new Error(`no process for the operation: ${forked.reason}`)
        if (!(await isTakenBack(folder, attempt))) return started(leaderOf(mark), orphaned)
      }
    } catch (error) {
      watcher.release(watched)
      throw error
    }
    watcher.release(watched)
    await rm(join(folder, claimOf(mostParents)), { force: true })
    return startCold(request, folder, stopped)
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
    // Whoever tidies up this machine may remove a folder that was there.
    if (known?.given === given && existsSync(known.command.folder)) return known.command
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
