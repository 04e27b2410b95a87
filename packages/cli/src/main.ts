#!/usr/bin/env node
import { processEnvironment } from './process-environment.ts'
import { run } from './run.ts'
import { installedParts } from './serve/installed-parts.ts'
import { version } from './version.ts'

process.exitCode = await run(process.argv.slice(2), processEnvironment(), installedParts, version)
// All is said and done. What may still keep the process, such as a connection to a server that says nothing, does not.
setTimeout(() => process.exit(), 2_000).unref()
