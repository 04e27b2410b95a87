import { logicError } from '../diagnostic.ts'
import { type Build, type Definitions, definitionsOf } from '../language/build.ts'
import {
  anything,
  boolean,
  definitions,
  optional,
  record,
  required,
  text,
  typeOf,
} from '../language/shape.ts'
import type { PlanPlugin } from '../plan/plan.ts'
import { checkTypeName, type PropertyOwner } from '../types/property.ts'
import {
  given,
  givenMap,
  givenText,
  isNull,
  mapLike,
  nodePlace,
  textOrNull,
  toJson,
  type YamlMap,
} from '../yaml/node.ts'

/** `plugins` (docs/reference/language/plugins-and-operations.md, "Plugins") */
export const pluginsShape = definitions(
  record({
    executor: required(text),
    install: optional(boolean),
    source: optional(text),
    install_arguments: optional(text, [1, 1]),
    package_name: optional(text, [1, 2]),
    package_version: optional(text, [1, 2]),
    supported_platform: optional(text, [1, 2]),
    distribution: optional(text, [1, 2]),
    distribution_version: optional(text, [1, 2]),
    distribution_release: optional(text, [1, 2]),
    properties_description: optional(text, [1, 5]),
    properties: optional(
      definitions(
        record({
          type: optional(typeOf),
          description: optional(text),
          display_label: optional(text),
          value: optional(anything),
        }),
      ),
      [1, 5],
    ),
  }),
)

/** Of operations and plugins alike (docs/reference/language/plugins-and-operations.md, "Plugins" and "Interfaces"). */
export const EXECUTORS: readonly string[] = ['central_deployment_agent', 'host_agent']

export function pluginsOf(build: Build, dataTypes: PropertyOwner['dataTypes']): Definitions<PlanPlugin> {
  return definitionsOf(
    build,
    'plugins',
    (name, written) => readPlugin(build, dataTypes, name, written),
    () => new Error('plugins do not refer to each other') as never,
  )
}

function readPlugin(
  build: Build,
  dataTypes: PropertyOwner['dataTypes'],
  name: string,
  written: YamlMap,
): PlanPlugin {
  const path = `plugins.${name}`
  const executor = givenText(written, 'executor') ?? ''
  const install = given(written, 'install')
  const installed = !(install?.kind === 'scalar' && install.value === false)
  if (!EXECUTORS.includes(executor)) {
    const node = given(written, 'executor') ?? written
    throw logicError(18, `The plugin '${name}' has an illegal executor '${executor}'.`, {
      place: nodePlace(node),
      path: `${path}.executor`,
      value: executor,
      expected: EXECUTORS.join(' or '),
    })
  }
  const source = textOrNull(written, 'source')
  const packageName = textOrNull(written, 'package_name')
  if (installed && source === null && packageName === null) {
    throw logicError(50, `The plugin '${name}' is to be installed but has neither source nor package_name.`, {
      place: nodePlace(written),
      path,
      expected: 'source, package_name or install: false',
    })
  }
  return {
    name,
    executor,
    install: installed,
    source,
    install_arguments: textOrNull(written, 'install_arguments'),
    package_name: packageName,
    package_version: textOrNull(written, 'package_version'),
    supported_platform: textOrNull(written, 'supported_platform'),
    distribution: textOrNull(written, 'distribution'),
    distribution_version: textOrNull(written, 'distribution_version'),
    distribution_release: textOrNull(written, 'distribution_release'),
    properties_description: textOrNull(written, 'properties_description'),
    properties: pluginProperties(build, dataTypes, path, written),
  }
}

function pluginProperties(
  build: Build,
  dataTypes: PropertyOwner['dataTypes'],
  path: string,
  written: YamlMap,
): PlanPlugin['properties'] {
  const properties: { [name: string]: PlanPlugin['properties'][string] } = {}
  for (const [name, { value }] of givenMap(written, 'properties')?.entries ?? []) {
    const schema = value.kind === 'map' ? value : mapLike(value, [])
    const owner: PropertyOwner = { build, dataTypes, path, label: name }
    checkTypeName(owner, givenText(schema, 'type') ?? null, schema, `${path}.properties.${name}.type`)
    const entries = [...schema.entries].filter(([, entry]) => !isNull(entry.value))
    properties[name] = toJson(mapLike(schema, entries), build.conversion) as PlanPlugin['properties'][string]
  }
  return properties
}
