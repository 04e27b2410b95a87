#!/usr/bin/env node
import { processEnvironment } from './process-environment.ts'
import { run } from './run.ts'
import { installedParts } from './serve/installed-parts.ts'
import { version } from './version.ts'

process.exitCode = await run(process.argv.slice(2), processEnvironment(), installedParts, version)
