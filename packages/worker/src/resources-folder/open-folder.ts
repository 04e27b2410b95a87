import { chmod, chown, mkdir } from 'node:fs/promises'
import { dirname, join } from 'node:path'
import type { OperationUser } from '../operations/index.ts'
import { insideOf, type Kind } from './names.ts'

/** The folder, which everybody may pass through and only those look into who know the way. */
export async function openResourcesFolder(root: string): Promise<void> {
  await mkdir(dirname(root), { recursive: true })
  await mkdir(insideOf(root), { recursive: true, mode: 0o700 })
  for (const [folder, mode] of [
    [root, 0o711],
    [insideOf(root), 0o700],
    [join(root, 'blueprints'), 0o711],
    [join(root, 'deployments'), 0o711],
  ] as const) {
    await mkdir(folder, { recursive: true })
    await chmod(folder, mode)
  }
}

/** The folder of a tenant: with users of operations, only that tenant's may enter. */
export async function openTenantFolder(
  root: string,
  kind: Kind,
  tenant: string,
  user: OperationUser,
): Promise<void> {
  const folder = join(root, kind, tenant)
  await mkdir(folder, { recursive: true, mode: 0o700 })
  if (user !== null) await chown(folder, process.getuid?.() ?? 0, user)
  await chmod(folder, user === null ? 0o700 : 0o750)
}
