import { spawn } from 'node:child_process'
import { join, resolve } from 'node:path'
import { createInterface } from 'node:readline'
import { Option } from 'commander'
import { UsageError } from '../errors/usage-error.ts'
import type { CommandDefinition } from './command.ts'

type Packed = {
  readonly wagon: string
  readonly package_name: string
  readonly package_version: string
  readonly wheels: readonly string[]
}

type Said = { readonly progress?: string; readonly packed?: Packed; readonly refused?: string }

/** `tutti plugins pack`: works on files alone, without a manager. */
export const packPlugin: CommandDefinition = {
  usage: 'pack <path>',
  description: 'Pack a Python project and all that it needs as a wagon, which can be uploaded',
  examples: [
    'tutti plugins pack ./my-plugin',
    'tutti plugins pack ./my-plugin --wheels ./wheels --python python3.11',
  ],
  options: [
    new Option('-o, --output-folder <folder>', 'folder to write the wagon to (default: this one)'),
    new Option('--wheels <folder>', 'wheels of what it needs; nothing is fetched then'),
    new Option('--python <command>', 'Python with pip, of the version that workers have (default: python3)'),
  ],
  run: async ({ environment, reporter }, [path = ''], options) => {
    const { runtimeFolder } = await import('@tutti/worker')
    const at = (folder: string) => resolve(environment.workingFolder, folder)
    const wheels = options.text('wheels')
    const request = {
      project: at(path),
      target: at(options.text('outputFolder') ?? '.'),
      ...(wheels === undefined ? {} : { wheels: at(wheels) }),
    }
    const python = options.text('python') ?? 'python3'
    const packed = await reporter.step(`Packing ${path}`, () =>
      pack(python, join(runtimeFolder(), 'pack_plugin.py'), JSON.stringify(request), {
        onProgress: reporter.note,
        signal: environment.interruption(),
      }),
    )
    reporter.result(
      packed,
      `${packed.package_name} ${packed.package_version} is in ${packed.wagon}, with ${packed.wheels.length} wheels`,
    )
  },
}

/** @throws UsageError when it cannot be packed */
async function pack(
  python: string,
  program: string,
  request: string,
  watch: { readonly onProgress: (text: string) => void; readonly signal: AbortSignal },
): Promise<Packed> {
  const { signal } = watch
  const child = spawn(python, [program, request], { stdio: ['ignore', 'pipe', 'pipe'], signal })
  const ended = new Promise<number | null>((done, fail) => {
    child.once('error', fail)
    child.once('close', done)
  })
  let errors = ''
  child.stderr.setEncoding('utf8').on('data', (text: string) => {
    errors = (errors + text).slice(-4_000)
  })
  let last: Said = {}
  createInterface({ input: child.stdout }).on('line', (line) => {
    last = JSON.parse(line) as Said
    if (last.progress !== undefined) watch.onProgress(last.progress)
  })
  try {
    await ended
  } catch (error) {
    signal.throwIfAborted()
    throw new UsageError(
      `${python} was not started: ${(error as Error).message}`,
      'Name a Python that has pip with --python',
    )
  }
  if (last.packed !== undefined) return last.packed
  throw new UsageError(
    last.refused ?? `${python} could not pack it: ${errors.trim().split('\n').at(-1)}`,
    'A project has a pyproject.toml or a setup.py; wheels of what it needs come from pip, or from a folder with --wheels',
  )
}
