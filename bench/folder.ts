import { chmod, mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'

/**
 * A folder for one manager's data: in `$TUTTI_BENCH_FOLDER`, else in the temporary folder. Its file system decides what
 * a commit costs, so the report names it.
 */
export const benchParent = (): string => process.env.TUTTI_BENCH_FOLDER ?? tmpdir()

export async function benchFolder(): Promise<{ readonly path: string; remove(): Promise<void> }> {
  const path = await mkdtemp(join(benchParent(), 'tutti-bench-'))
  // Open for passing: as root, PostgreSQL runs as another user.
  await chmod(path, 0o711)
  return { path, remove: () => rm(path, { recursive: true, force: true }) }
}
