#!/usr/bin/env node
import manifest from '../package.json' with { type: 'json' }
import { processEnvironment } from './process-environment.ts'
import { run } from './run.ts'
import { installedParts } from './serve/installed-parts.ts'

process.exitCode = await run(process.argv.slice(2), processEnvironment(), installedParts, manifest.version)
