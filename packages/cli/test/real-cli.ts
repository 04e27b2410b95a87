import { passwordOf, startTestManager, type TestManager } from '@tutti/manager/testing'
import { run } from '../src/run.ts'
import { installedParts } from '../src/serve/installed-parts.ts'
import { type TestEnvironment, type TestEnvironmentOptions, testEnvironment } from './test-environment.ts'

export type Said = {
  readonly exitCode: number
  readonly written: string
  readonly errors: string
  /** What `--json` wrote. */
  // biome-ignore lint/suspicious/noExplicitAny: tests look into answers whose shape is what they test
  readonly json: any
}

export type RealCli = {
  readonly manager: TestManager
  readonly url: string
  /** Runs a command line as `admin`, unless the options say otherwise; its words are separated by spaces. */
  readonly tutti: (line: string, options?: TestEnvironmentOptions) => Promise<Said>
  /** Ctrl-C is pressed as soon as this text was written. */
  readonly interrupted: (line: string, text: string) => Promise<Said>
  /** The same with words that may hold spaces. */
  readonly words: (words: readonly string[], options?: TestEnvironmentOptions) => Promise<Said>
  /** Where command lines find files. */
  readonly folder: string
  readonly close: () => Promise<void>
}

/** The command line with a manager that listens, on a database of its own. */
export async function startRealCli(): Promise<RealCli> {
  const manager = await startTestManager()
  const url = await manager.app.listen({ host: '127.0.0.1', port: 0 })
  const home: TestEnvironment = await testEnvironment()
  const words = async (
    given: readonly string[],
    options: TestEnvironmentOptions = {},
    interruptAt?: string,
  ): Promise<Said> => {
    const variables = { TUTTI_URL: url, TUTTI_PASSWORD: passwordOf('admin'), ...options.variables }
    const own = await testEnvironment({ ...options, variables })
    const write = (text: string) => {
      own.stdout.write(text)
      if (interruptAt !== undefined && own.written().includes(interruptAt)) own.interrupt()
    }
    const environment = { ...own, workingFolder: home.workingFolder, stdout: { ...own.stdout, write } }
    const exitCode = await run(given, environment, installedParts, '0.1.0')
    await own.remove()
    const written = own.written()
    return {
      exitCode,
      written,
      errors: own.errors(),
      json: given.includes('--json') && written !== '' ? JSON.parse(written) : undefined,
    }
  }
  return {
    manager,
    url,
    words: (given, options) => words(given, options),
    tutti: (line, options) => words(line.split(' '), options),
    interrupted: (line, text) => words(line.split(' '), {}, text),
    folder: home.workingFolder,
    close: async () => {
      await manager.close()
      await home.remove()
    },
  }
}

/** Whose password is `passwordOf` their name, in the environment of a command line. */
export const loggedInAs = (username: string) => ({
  TUTTI_USERNAME: username,
  TUTTI_PASSWORD: passwordOf(username),
})
