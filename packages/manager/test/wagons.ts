import { execFile } from 'node:child_process'
import { mkdtemp, readFile, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { Readable } from 'node:stream'
import { type Database, type Visibility, writeArchive } from '@tutti/storage'

export type TestWheel = {
  readonly name: string
  readonly version?: string
  /** Path → text. */
  readonly files?: Readonly<Record<string, string>>
  readonly requires?: readonly string[]
  readonly tag?: string
  readonly programs?: readonly string[]
}

export type TestWagon = {
  readonly name: string
  readonly version?: string
  readonly wheels: readonly TestWheel[]
  /** What its package.json says otherwise. */
  readonly said?: Readonly<Record<string, unknown>>
}

/** A wagon as the tools of plugins' authors pack it (python/tests/wagons.py). */
export async function wagonOf(wagon: TestWagon): Promise<Buffer> {
  const folder = await mkdtemp(join(tmpdir(), 'tutti-wagon-'))
  try {
    const path = await new Promise<string>((resolve, reject) => {
      const child = execFile(
        'python3',
        ['-m', 'tests.wagons', folder],
        { cwd: join(import.meta.dirname, '../../../python') },
        (error, out) => (error === null ? resolve(out.trim()) : reject(error)),
      )
      child.stdin?.end(JSON.stringify(wagon))
    })
    return await readFile(path)
  } finally {
    await rm(folder, { recursive: true })
  }
}

/** Stores a plugin as an upload does. */
export async function storePlugin(
  db: Database,
  wagon: TestWagon,
  changes: { readonly tenantId?: number; readonly visibility?: Visibility; readonly id?: string } = {},
): Promise<{ readonly tenantId: number; readonly id: string }> {
  const packed = await wagonOf(wagon)
  const { name, version = '1.0', said } = wagon
  const tenantId = changes.tenantId ?? 0
  const id = changes.id ?? `${name}-${version}`
  await db.transaction().execute(async (transaction) => {
    const { sha256 } = await writeArchive(transaction, Readable.from([packed]), { maxBytes: packed.length })
    await transaction
      .insertInto('plugins')
      .values({
        tenant_id: tenantId,
        id,
        title: name,
        package_name: name,
        package_version: version,
        archive_name: `${name}-${version}-py3-none-any.wgn`,
        supported_platform: String(said?.supported_platform ?? 'any'),
        supported_py_versions: JSON.stringify(said?.supported_python_versions ?? ['py3']),
        archive_sha256: sha256,
        created_by: 'admin',
        visibility: changes.visibility ?? 'tenant',
      })
      .execute()
  })
  return { tenantId, id }
}
