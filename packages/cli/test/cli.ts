import { type ContractHandlers, type ContractServer, startContractServer } from '@tutti/client/testing'
import { run } from '../src/run.ts'
import { installedParts } from '../src/serve/installed-parts.ts'
import { type TestEnvironment, type TestEnvironmentOptions, testEnvironment } from './test-environment.ts'

export type Cli = {
  readonly environment: TestEnvironment
  readonly server: ContractServer
  /** Runs a command line against the server and returns its exit code. */
  readonly tutti: (...args: readonly string[]) => Promise<number>
  readonly close: () => Promise<void>
}

/** The command line with a server that speaks the contract. */
export async function startCli(
  handlers: ContractHandlers,
  options: TestEnvironmentOptions = {},
): Promise<Cli> {
  const server = await startContractServer(handlers)
  const variables = { TUTTI_URL: server.url, TUTTI_PASSWORD: 's3cret', ...options.variables }
  const environment = await testEnvironment({ ...options, variables })
  return {
    environment,
    server,
    tutti: (...args) => run(args, environment, installedParts, '0.1.0'),
    close: async () => {
      await server.close()
      await environment.remove()
    },
  }
}
