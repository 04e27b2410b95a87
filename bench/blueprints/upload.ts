import { mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { type Client, findArchiveSource } from '@tutti/client'

/** Uploads a blueprint that is made on the spot: files by their paths, `blueprint.yaml` among them. */
export async function uploadBlueprint(
  client: Client,
  id: string,
  files: Readonly<Record<string, string>>,
): Promise<void> {
  const parent = await mkdtemp(join(tmpdir(), 'tutti-bench-blueprint-'))
  try {
    const folder = join(parent, id)
    for (const [path, text] of Object.entries(files)) {
      await mkdir(dirname(join(folder, path)), { recursive: true })
      await writeFile(join(folder, path), text)
    }
    await client.blueprints.upload(id, await findArchiveSource(folder))
  } finally {
    await rm(parent, { recursive: true })
  }
}
