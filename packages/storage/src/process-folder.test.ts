import { mkdtemp, rm, stat } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { expect, test } from 'vitest'
import { openProcessFolder } from './process-folder.ts'

test.each([0o022, 0o077])('with umask %o, whoever may pass through can', async (umask) => {
  const folder = await mkdtemp(join(tmpdir(), 'tutti-process-folder-'))
  const before = process.umask(umask)
  try {
    const open = await openProcessFolder(join(folder, 'work'), 0o711)
    const closed = await openProcessFolder(join(folder, 'uploads'))
    const modes = await Promise.all(
      [dirname(open), open, closed].map(async (path) => (await stat(path)).mode),
    )
    expect(modes.map((mode) => mode & 0o777)).toEqual([0o711, 0o711, 0o700])
  } finally {
    process.umask(before)
    await rm(folder, { recursive: true })
  }
})
