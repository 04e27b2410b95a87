import { dump } from 'js-yaml'
import { formatError } from '../diagnostic.ts'
import { isList, isObject, type Json, type JsonList, type JsonObject, put } from '../json.ts'
import { isOlder, readVersion, type Version, versionText } from '../language/version.ts'
import { PRIMITIVE_TYPES } from '../types/primitive.ts'
import {
  given,
  givenText,
  kindOf,
  newConversion,
  nodePlace,
  textOf,
  toJson,
  type YamlMap,
  type YamlNode,
} from '../yaml/node.ts'
import { readYaml } from '../yaml/read.ts'

/** The version for which older blueprints need a plugin YAML of their own. */
const DERIVED: Version = [1, 3]

/**
 * Which of a plugin's YAML files serves a blueprint of this version (docs/reference/language/imports.md, "Plugin
 * imports"): the one made for it, else the newest that is not newer, else the first without a version in its name. Null
 * when there is none. `derived`: that of `derivedPluginYaml`, for the blueprints that it is made for and no others.
 */
export function choosePluginFile(
  names: readonly string[],
  mainVersion: Version,
  derived: string | null = null,
): string | null {
  if (derived !== null && mainVersion[0] === DERIVED[0] && mainVersion[1] === DERIVED[1]) return derived
  const versioned: { readonly name: string; readonly version: Version }[] = []
  const plain: string[] = []
  for (const name of names) {
    const version = versionOfName(name)
    if (version !== null) versioned.push({ name, version })
    else if (/\.ya?ml$/.test(name)) plain.push(name)
  }
  const fitting = versioned
    .filter(({ version }) => !isOlder(mainVersion, version))
    .sort((a, b) => (isOlder(a.version, b.version) ? 1 : isOlder(b.version, a.version) ? -1 : 0))
  return fitting[0]?.name ?? plain[0] ?? null
}

function versionOfName(name: string): Version | null {
  const match = /_(\d+)_(\d+)\.ya?ml$/.exec(name)
  return match === null ? null : [Number(match[1]), Number(match[2])]
}

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

/** What an upload takes from a plugin's YAML file. */
export type PluginYaml = {
  /** Of the plugins that it declares; those without one are left out. */
  readonly packageNames: readonly string[]
  readonly labels: Readonly<Record<string, JsonList>>
  readonly blueprint_labels: Readonly<Record<string, JsonList>>
  readonly resource_tags: JsonObject
  /** For blueprints of cloudify_dsl_1_3, where it is made for newer ones. */
  readonly derived: string | null
}

/**
 * Reads a plugin's YAML file by itself; what it says of types is looked at when a blueprint imports it
 * (docs/reference/plugins.md, "YAML files"). Throws `DslError`.
 */
export function readPluginYaml(name: string, text: string): PluginYaml {
  const root = readYaml(name, text)
  if (root.kind !== 'map') throw wrong(root, `${name} should hold a mapping but is a ${kindOf(root)}`)
  const plugins = sectionOf(root, 'plugins')
  const packageNames = [...(plugins?.entries.values() ?? [])].flatMap(({ value }) => {
    if (value.kind !== 'map') throw wrong(value, `a plugin should be a dict but is a ${kindOf(value)}`)
    return givenText(value, 'package_name') ?? []
  })
  return {
    packageNames,
    labels: labelsIn(root, 'labels'),
    blueprint_labels: labelsIn(root, 'blueprint_labels'),
    resource_tags: jsonOf(sectionOf(root, 'resource_tags')),
    derived: isNewer(root, name) ? derivedPluginYaml(text) : null,
  }
}

const wrong = (node: YamlNode, message: string) => formatError(1, `${message}.`, { place: nodePlace(node) })

/** Undefined where it is absent or null. */
function sectionOf(root: YamlMap, name: string): YamlMap | undefined {
  const node = given(root, name)
  if (node === undefined || node.kind === 'map') return node
  throw wrong(node, `${name} should be a dict but is a ${kindOf(node)}`)
}

function labelsIn(root: YamlMap, name: string): PluginYaml['labels'] {
  const labels: { [key: string]: JsonList } = {}
  for (const [key, { value }] of sectionOf(root, name)?.entries ?? []) {
    const values = value.kind === 'map' && value.entries.size === 1 ? given(value, 'values') : undefined
    if (values?.kind !== 'list') throw wrong(value, `${name}.${key} should be {values: [...]}`)
    put(labels, key, toJson(values, newConversion()) as JsonList)
  }
  return labels
}

const jsonOf = (section: YamlMap | undefined): JsonObject =>
  section === undefined ? {} : (toJson(section, newConversion()) as JsonObject)

/** Whether blueprints of cloudify_dsl_1_3 cannot import it, by what it says of itself or by its name. */
function isNewer(root: YamlMap, name: string): boolean {
  const node = given(root, 'tosca_definitions_version')
  const text = textOf(node)
  if (node !== undefined && text === undefined)
    throw wrong(node, 'tosca_definitions_version should be a string')
  const versions = [
    versionOfName(name),
    node === undefined || text === undefined ? null : readVersion(text, nodePlace(node)).definitions_version,
  ]
  return versions.some((version) => version !== null && isOlder(DERIVED, version))
}
