import { execFile } from 'node:child_process'
import { join } from 'node:path'
import { commonEnvironment, type OperationEnvironment } from '../operations/index.ts'
import { PluginInstallationError } from './installation-error.ts'

/** What `install_plugin.py describe` says. */
export type Interpreter = {
  /** 3.11.7 */
  readonly python: string
  /** The same with its platform, for people. */
  readonly here: string
  /** What an environment of it depends on. */
  readonly key: readonly string[]
  /** Of the tags of wheels that it can use, such as `manylinux_2_17_x86_64`. */
  readonly platforms: readonly string[]
}

/** The program that makes environments, run by the interpreter that they are of; `-I`: by nothing that is set or lies around. */
export const installer = (runtimeFolder: string): readonly string[] => [
  '-I',
  '-u',
  join(runtimeFolder, 'install_plugin.py'),
]

/** Long on a machine that is busy; an interpreter that says nothing by then never will. */
const longestMs = 60_000

/** Asks the interpreters that operations run in what they are, each once. */
export function createInterpreters(environment: OperationEnvironment) {
  const known = new Map<string, Promise<Interpreter>>()
  return (python: string): Promise<Interpreter> => {
    const asked = known.get(python) ?? ask(environment, python)
    known.set(python, asked)
    asked.catch(() => known.delete(python))
    return asked
  }
}

function ask(environment: OperationEnvironment, python: string): Promise<Interpreter> {
  const args = [...installer(environment.runtimeFolder), 'describe']
  const options = {
    env: commonEnvironment(environment, python, null),
    cwd: '/',
    timeout: longestMs,
    killSignal: 'SIGKILL',
  } as const
  return new Promise((resolve, reject) => {
    execFile(python, args, options, (error, out, errors) => {
      const described = error === null ? parse(out) : undefined
      if (described !== undefined) return resolve(described)
      const why = errors.trim().split('\n').at(-1) || error?.message || 'it does not say what it is'
      reject(
        new PluginInstallationError(
          `Python cannot make environments for plugins as "${python}": ${why}. Install Python 3.8 or newer with its ` +
            'standard library, or tell the worker where it is',
        ),
      )
    })
  })
}

function parse(text: string): Interpreter | undefined {
  try {
    return JSON.parse(text) as Interpreter
  } catch {
    return undefined // somebody else's program of that name
  }
}
