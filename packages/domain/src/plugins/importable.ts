import { compareVersions, type JsonList, type JsonObject } from '@tutti/dsl'
import type { Database, Scope } from '@tutti/storage'
import { findWithFiles, readFileContent } from './queries.ts'
import { inYamlOrder, isYaml } from './yaml-order.ts'

/** What an import looks at to choose a plugin, and a file of it. */
export type ImportablePlugin = {
  readonly tenantId: number
  readonly id: string
  readonly version: string
  readonly distribution: string | null
  /** Its YAML files, in the order in which the first counts. */
  readonly files: readonly string[]
  /** The one that was made for blueprints of cloudify_dsl_1_3. */
  readonly derived: string | null
  readonly stored: {
    readonly labels: Readonly<Record<string, JsonList>>
    readonly blueprint_labels: Readonly<Record<string, JsonList>>
    readonly resource_tags: JsonObject
  }
}

/**
 * The plugins of the package in the scope that have something to import; the highest version first, of equal ones the
 * tenant's own.
 */
export async function findImportable(
  db: Database,
  scope: Scope,
  packageName: string,
): Promise<readonly ImportablePlugin[]> {
  const found = await findWithFiles(db, scope, packageName)
  return found
    .map(({ files, ...plugin }) => ({
      ...plugin,
      files: inYamlOrder(
        files.filter(({ name, is_derived }) => isYaml(name) && !is_derived).map(({ name }) => name),
      ),
      derived: files.find(({ is_derived }) => is_derived)?.name ?? null,
    }))
    .filter(({ files }) => files.length > 0)
    .toSorted((a, b) => compareVersions(b.version, a.version))
}

/** The text of one of its files; undefined when the plugin is gone. */
export async function readYamlText(
  db: Database,
  { tenantId, id }: Pick<ImportablePlugin, 'tenantId' | 'id'>,
  name: string,
): Promise<string | undefined> {
  const content = await readFileContent(db, tenantId, id, name)
  return content && Buffer.from(content).toString('utf8')
}
