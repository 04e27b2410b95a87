import { readFileSync } from 'node:fs'
import { join } from 'node:path'

/** The version of the API's reference that clients see: they choose what to send by it. */
export const apiVersionNumber = '7.1.0'

/** As clients know them: with this edition they use everything that the API has. */
export const edition = 'premium'
export const distribution = 'tutti'

/** Tutti's own version, that of this package. */
export const tuttiVersion = readVersion()

function readVersion(): string {
  const file = join(import.meta.dirname, '..', 'package.json')
  return (JSON.parse(readFileSync(file, 'utf8')) as { version: string }).version
}
