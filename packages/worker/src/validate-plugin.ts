import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { readUpload } from '@tutti/domain/plugins'

export type CheckedPlugin = {
  readonly package_name: string
  readonly package_version: string
  readonly supported_platform: string | null
  readonly supported_py_versions: readonly string[]
  readonly wheels: readonly string[]
  readonly files: readonly string[]
}

/** Larger than what a manager takes unless it is told otherwise: it is the manager that refuses what is too large. */
const limits = { maxBytes: 8 * 2 ** 30, maxEntries: 100_000 }

/**
 * What a file holds that is to be uploaded as a plugin, read as a manager reads it, without any.
 *
 * @throws ApiError invalid_plugin_error
 */
export async function validatePlugin(file: string): Promise<readonly CheckedPlugin[]> {
  const folder = await mkdtemp(join(tmpdir(), 'tutti-plugin-'))
  try {
    const { plugins } = await readUpload(file, folder, limits)
    return plugins.map(({ metadata, content }) => ({
      package_name: metadata.package_name,
      package_version: metadata.package_version,
      supported_platform: metadata.supported_platform,
      supported_py_versions: metadata.supported_py_versions,
      wheels: metadata.wheels,
      files: content.files.filter(({ is_derived }) => !is_derived).map(({ name }) => name),
    }))
  } finally {
    await rm(folder, { recursive: true, force: true })
  }
}
