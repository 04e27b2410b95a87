import { mkdir, mkdtemp } from 'node:fs/promises'
import { constants } from 'node:os'
import { join } from 'node:path'
import { atOnce } from './executor.ts'
import { isFull, isNoSpace, noSpace, noSpaceExit, noSpaceIn } from './full-disk.ts'
import { followJournal, type Journal } from './journal.ts'
import { killGraceMs } from './kill-started.ts'
import { removeOperationFolder } from './operation-files.ts'
import { killed, nonRecoverable, type OperationOutcome } from './outcome.ts'
import type { OperationProcess, StartProcess } from './process.ts'
import { readOutput } from './read-output.ts'
import type { OperationRequest } from './request.ts'
import { keepBounded } from './rotating-log.ts'
import { type Stop, stopOf, timedOut } from './time-limit.ts'

/**
 * Runs one operation in a process of its own, as `start` starts it (docs/reference/operations.md, "Process"), and answers
 * how it ended; it rejects only when this machine cannot do its part, such as a full disk. Aborting `signal` kills the
 * operation and everything in its process group, and so does the death of its leader or of this process. Daemons that
 * it leaves behind go on when it ends by itself.
 */
export async function runOperation(
  request: OperationRequest,
  start: StartProcess,
  signal: AbortSignal,
): Promise<OperationOutcome> {
  if (signal.aborted) return killed
  try {
    await mkdir(request.workFolder, { recursive: true, mode: 0o700 })
    const folder = await mkdtemp(join(request.workFolder, 'operation-'))
    try {
      const stop = stopOf(request.timeLimit.ms, signal)
      const endOfLog = keepBounded(request.logFile, request.logLimits, request.warn)
      const journal = followJournal(folder, request)
      try {
        const process = await start(request, folder, stop.reason)
        return await ended(request, process, folder, journal, stop, signal)
      } finally {
        stop.clear()
        await Promise.all([endOfLog(), journal.end()])
      }
    } finally {
      // What came of it counts, although something of it stays: the worker's next start removes that.
      await removeOperationFolder(folder, request.user).catch((error) =>
        request.warn(error, 'the files of an operation could not be removed yet'),
      )
    }
  } catch (error) {
    if (isNoSpace(error)) return noSpaceIn(error, request.workFolder)
    throw error
  }
}

async function ended(
  request: OperationRequest,
  process: OperationProcess,
  folder: string,
  journal: Journal,
  stop: Stop,
  signal: AbortSignal,
): Promise<OperationOutcome> {
  const first = await Promise.race([stop.reason, process.exit])
  stop.clear()
  if (typeof first === 'string') await process.kill(signal.reason === atOnce ? 0 : killGraceMs)
  const exit = await process.exit
  // An operation that had already finished is not undone by being told to stop.
  const finished = exit.kind === 'exited' && exit.code === 0
  if (finished) process.leave()
  // Whatever killed the launcher, its script must not go on beside the next try.
  else if (typeof first !== 'string') await process.kill(0)
  if (typeof first === 'string' && !finished)
    return first === 'aborted' ? killed : timedOut(request.timeLimit)
  if (exit.kind === 'not-started') return noPython(request, exit.reason)
  // However its process ended after that: what has answered has run.
  const answer = await readOutput(join(folder, 'output.json'), request.context.task_name, journal)
  if ('ok' in answer) return answer
  if ((exit.kind === 'exited' && exit.code === noSpaceExit) || (await isFull(folder))) {
    return noSpace(request.workFolder)
  }
  if (exit.kind === 'signalled') return terminated(exit.signal)
  if (exit.code === notFoundExit && request.user !== null) return noPython(request, 'it is not found')
  return finished
    ? nonRecoverable(answer.missing)
    : nonRecoverable(`Unhandled exception occurred in operation dispatch (rc=${exit.code})`)
}

/** How setpriv ends when it cannot start what it is to start. */
const notFoundExit = 127

function noPython({ python }: OperationRequest, reason: string): OperationOutcome {
  return nonRecoverable(
    `Python could not be started as "${python}": ${reason}. Install Python 3.8 or newer, or tell the worker where it is`,
  )
}

/** Python counts an end by signal N as code -N. */
function terminated(name: NodeJS.Signals): OperationOutcome {
  const code = -constants.signals[name]
  return nonRecoverable(
    name === 'SIGTERM' || name === 'SIGKILL'
      ? `Process terminated (rc=${code})`
      : `Unhandled exception occurred in operation dispatch (rc=${code})`,
  )
}
