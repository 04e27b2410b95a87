import { randomBytes } from 'node:crypto'
import { chmod, mkdir, readFile, rename, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import type { Database } from '@tutti/storage'
import { hashPassword } from '../authentication/index.ts'
import { adminExists, insertTenantAndAdmin, lockBootstrap, writeSystemFilters } from './queries.ts'

/** Name of the file, below the data folder, that holds a generated admin password; readable by its owner only. */
export const adminPasswordFile = 'admin-password'

/**
 * Creates the default tenant, the administrator and the filters that every manager has, at first start
 * (docs/reference/access.md, "The first start"). The password is the one given, else a random one that is in its file
 * before it is in the database: killed between the two, the next start finds the file and uses it.
 */
export async function bootstrap(
  db: Database,
  settings: { readonly dataFolder: string; readonly adminPassword: string | undefined },
): Promise<void> {
  await db.transaction().execute(async (transaction) => {
    await lockBootstrap(transaction)
    if (!(await adminExists(transaction))) {
      const password = settings.adminPassword ?? (await generatedPassword(settings.dataFolder))
      await insertTenantAndAdmin(transaction, await hashPassword(password))
    }
    await writeSystemFilters(transaction)
  })
}

async function generatedPassword(dataFolder: string): Promise<string> {
  const file = join(dataFolder, adminPasswordFile)
  const kept = await readFile(file, 'utf8').catch((error: NodeJS.ErrnoException) => {
    if (error.code === 'ENOENT') return ''
    throw error
  })
  if (kept.trim() !== '') return kept.trim()
  const password = randomBytes(15).toString('base64url')
  await mkdir(dataFolder, { recursive: true })
  await writeFile(`${file}.new`, `${password}\n`, { mode: 0o600 })
  await chmod(`${file}.new`, 0o600)
  await rename(`${file}.new`, file)
  return password
}
