import { writeFile } from 'node:fs/promises'
import type { Readable } from 'node:stream'
import type { PluginProgress } from '@tutti/storage'
import {
  commonEnvironment,
  handOver,
  lineReader,
  type OperationEnvironment,
  type OperationUser,
  startProcessGroup,
} from '../operations/index.ts'
import { PluginInstallationError } from './installation-error.ts'
import { installer } from './interpreter.ts'

/** Of one plugin, unpacked; the largest that are known have 40,000 files and 900 MB. */
export const installationLimits = { files: 200_000, bytes: 4 * 2 ** 30, seconds: 900 } as const

export type InstallationRequest =
  | {
      readonly kind: 'wagon'
      readonly wagon: string
      readonly package_name: string
      readonly package_version: string
      readonly folder: string
    }
  | {
      readonly kind: 'source'
      readonly source: string
      readonly install_arguments: string | null
      readonly folder: string
      readonly work_folder: string
    }

export type InstallerProcess = {
  readonly python: string
  readonly user: OperationUser
  readonly environment: OperationEnvironment
  readonly signal: AbortSignal
  readonly onProgress: (progress: PluginProgress) => void
  /** What pip and the like print. */
  readonly onOutput: (text: string) => void
}

const lastWords = 4_000
/** Until what has been printed is read. Somebody who escaped with the pipe may never close it. */
const lastWordsMs = 5_000

/**
 * Makes an environment by `python/install_plugin.py`, which is told by a file of that name what to do, in a process of
 * that user with limits. Answers what was installed.
 *
 * @throws PluginInstallationError
 */
export async function runInstaller(
  file: string,
  request: InstallationRequest,
  { python, user, environment, signal, onProgress, onOutput }: InstallerProcess,
): Promise<readonly string[]> {
  await writeFile(file, JSON.stringify({ ...request, limits: installationLimits }), {
    flag: 'wx',
    mode: 0o600,
  })
  await handOver(file, user)
  let answer: Answer | undefined
  let errors = ''
  const outputs: Readable[] = []
  const child = startProcessGroup({
    command: python,
    args: [...installer(environment.runtimeFolder), file],
    environment: commonEnvironment(environment, python, user),
    folder: request.folder,
    user,
    output: (out, failures) => {
      const read = lineReader((line) => {
        const said = parse(line)
        if (said?.progress !== undefined) onProgress(said.progress)
        else if (said !== undefined) answer = said
      })
      out.setEncoding('utf8').on('data', (piece: string) => {
        try {
          read(piece)
        } catch {
          out.destroy() // what a build of the tenant's prints there; the end says what came of it
        }
      })
      failures.setEncoding('utf8').on('data', (piece: string) => {
        errors = `${errors}${piece}`.slice(-lastWords)
        onOutput(piece)
      })
      outputs.push(out, failures)
    },
  })
  const ends = Promise.all(outputs.map(closeOf))
  let why: 'aborted' | 'late' | undefined
  const stop = (reason: 'aborted' | 'late') => {
    why ??= reason
    child.kill(0).catch(() => {})
  }
  const timer = setTimeout(() => stop('late'), installationLimits.seconds * 1_000)
  const abort = () => stop('aborted')
  signal.addEventListener('abort', abort, { once: true })
  if (signal.aborted) abort()
  try {
    const exit = await child.exit
    // Whatever it has left: nothing may write into the environment any more.
    await child.kill(0)
    const giveUp = setTimeout(() => outputs.forEach((output) => void output.destroy()), lastWordsMs)
    await ends
    clearTimeout(giveUp)
    if (why === 'aborted') throw signal.reason
    if (why === 'late') {
      throw new PluginInstallationError(
        `it was not installed within ${installationLimits.seconds} seconds, and was given up`,
      )
    }
    if (exit.kind === 'not-started')
      throw new PluginInstallationError(`Python was not started: ${exit.reason}`)
    if (answer?.refused !== undefined) throw new PluginInstallationError(answer.refused)
    if (answer?.installed !== undefined && exit.kind === 'exited' && exit.code === 0) return answer.installed
    const how = exit.kind === 'exited' ? `with code ${exit.code}` : `by ${exit.signal}`
    const last = errors.trim().split('\n').at(-1)
    throw new PluginInstallationError(`its installation ended ${how}${last ? `: ${last}` : ''}`)
  } finally {
    clearTimeout(timer)
    signal.removeEventListener('abort', abort)
  }
}

type Answer = {
  readonly progress?: PluginProgress
  readonly installed?: readonly string[]
  readonly refused?: string
}

/** What is no answer is somebody else's text: pip's children may print where they like. */
function parse(line: string): Answer | undefined {
  try {
    const said: unknown = JSON.parse(line)
    return typeof said === 'object' && said !== null ? (said as Answer) : undefined
  } catch {
    return undefined
  }
}

const closeOf = (stream: Readable): Promise<void> =>
  new Promise((resolve) => {
    stream.once('close', () => resolve())
  })
