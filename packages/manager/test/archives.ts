import { gzipSync } from 'node:zlib'
import { type TarEntry, tarOf } from '../../storage/test/hostile-archives.ts'

export { paxEntry, tarOf, zipOf } from '../../storage/test/hostile-archives.ts'

/** A blueprint as text; JSON is YAML. */
export function blueprintText(content: Readonly<Record<string, unknown>> = {}): string {
  return JSON.stringify({
    tosca_definitions_version: 'cloudify_dsl_1_5',
    imports: ['cloudify/types/types.yaml'],
    ...content,
  })
}

/** A tar.gz with one folder that holds the main file and these others. */
export function blueprintArchive(
  text: string = blueprintText({ node_templates: { one: { type: 'cloudify.nodes.Root' } } }),
  files: Readonly<Record<string, string>> = {},
): Buffer {
  return gzipSync(tarOf(...blueprintEntries(text, files)))
}

export function blueprintEntries(text: string, files: Readonly<Record<string, string>> = {}): TarEntry[] {
  return Object.entries({ 'blueprint.yaml': text, ...files }).map(([name, content]) => ({
    name: `bp/${name}`,
    content,
  }))
}
