/** Writes docs/cli.md from the commands. */
import { writeFile } from 'node:fs/promises'
import { cliDocument } from './document.ts'
import { processEnvironment } from './process-environment.ts'
import { createProgram } from './program.ts'
import { installedParts } from './serve/installed-parts.ts'

export const documentFile = new URL('../../../docs/cli.md', import.meta.url)

if (import.meta.main) {
  const program = { environment: processEnvironment(), parts: installedParts, finish: () => {} }
  await writeFile(documentFile, cliDocument(createProgram(program, '')))
}
