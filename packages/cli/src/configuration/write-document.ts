/** Writes docs/configuration.md from the table of settings. */
import { writeFile } from 'node:fs/promises'
import { configurationDocument } from './document.ts'

export const documentFile = new URL('../../../../docs/configuration.md', import.meta.url)

if (import.meta.main) await writeFile(documentFile, configurationDocument())
