import { dump } from 'js-yaml'
import { isList, isObject, type Json, put } from '../json.ts'
import { isOlder, type Version, versionText } from '../language/version.ts'
import { PRIMITIVE_TYPES } from '../types/primitive.ts'
import { newConversion, toJson } from '../yaml/node.ts'
import { readYaml } from '../yaml/read.ts'

/**
 * Which of a plugin's YAML files serves a blueprint of this version (docs/reference/language/imports.md, "Plugin
 * imports"): the one made for it, else the newest that is not newer, else the first without a version in its name. Null
 * when there is none.
 */
export function choosePluginFile(names: readonly string[], mainVersion: Version): string | null {
  const versioned: { readonly name: string; readonly version: Version }[] = []
  const plain: string[] = []
  for (const name of names) {
    const match = /_(\d+)_(\d+)\.ya?ml$/.exec(name)
    if (match !== null) versioned.push({ name, version: [Number(match[1]), Number(match[2])] })
    else if (/\.ya?ml$/.test(name)) plain.push(name)
  }
  const fitting = versioned
    .filter(({ version }) => !isOlder(mainVersion, version))
    .sort((a, b) => (isOlder(a.version, b.version) ? 1 : isOlder(b.version, a.version) ? -1 : 0))
  return fitting[0]?.name ?? plain[0] ?? null
}

/** The version for which older blueprints need a plugin YAML of their own. */
const DERIVED: Version = [1, 3]

/**
 * A plugin YAML for 1_3 blueprints, made from one that is newer (docs/reference/language/imports.md, "Plugin imports"):
 * later types become `string` and lose their constraints; entries with `item_type` and availability rules are left out.
 * Throws `DslError` when the text is no YAML.
 */
export function derivedPluginYaml(text: string): string {
  const root = toJson(readYaml('plugin.yaml', text), newConversion())
  const derived = olderForm(root)
  const version = { tosca_definitions_version: versionText(DERIVED) }
  const hasVersion = isObject(derived) && Object.hasOwn(derived, 'tosca_definitions_version')
  return dump(hasVersion ? { ...derived, ...version } : derived, { lineWidth: 110, noRefs: true })
}

function olderForm(value: Json): Json {
  if (isList(value)) return value.map(olderForm)
  if (!isObject(value)) return value
  const { type } = value
  const since =
    typeof type === 'string' && Object.hasOwn(PRIMITIVE_TYPES, type) ? PRIMITIVE_TYPES[type] : undefined
  const isLater = since !== undefined && isOlder(DERIVED, since)
  const kept: { [key: string]: Json } = {}
  for (const [key, inner] of Object.entries(value)) {
    if (key === 'availability_rules' || (isLater && key === 'constraints')) continue
    if (isObject(inner) && Object.hasOwn(inner, 'item_type')) continue
    put(kept, key, isLater && key === 'type' ? 'string' : olderForm(inner))
  }
  return kept
}
