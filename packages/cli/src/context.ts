import { type Client, createClient } from '@tutti/client'
import { type Flags, type Resolved, resolveConfiguration } from './configuration/resolve.ts'
import type { Environment } from './environment.ts'
import { createReporter } from './output/create-reporter.ts'
import { createPrinter, type Printer } from './output/printer.ts'
import type { Reporter } from './output/reporter.ts'
import { findConnection } from './profiles/connect.ts'
import type { ServerParts } from './serve/parts.ts'

/** What a command works with. */
export type Context = {
  readonly environment: Environment
  readonly isJson: boolean
  readonly printer: Printer
  readonly reporter: Reporter
  readonly flags: Flags
  readonly parts: ServerParts
  /** Settings with the flags of this command line over them. */
  readonly configuration: () => Promise<Resolved>
  /** A client of the manager that the settings and the profile name. */
  readonly client: () => Promise<Client>
}

export function createContext(
  environment: Environment,
  parts: ServerParts,
  isJson: boolean,
  flags: Flags,
): Context {
  const configuration = () => resolveConfiguration(environment, flags)
  return {
    environment,
    isJson,
    printer: createPrinter(environment, isJson),
    reporter: createReporter(environment, { isJson }),
    flags,
    parts,
    configuration,
    client: async () => {
      const resolved = await configuration()
      return createClient(await findConnection(environment, resolved.configuration), environment.fetch)
    },
  }
}
