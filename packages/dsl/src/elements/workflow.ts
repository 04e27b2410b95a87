import { formatError, logicError } from '../diagnostic.ts'
import type { JsonObject } from '../json.ts'
import { attempt, type Build, type Definitions, sectionEntries } from '../language/build.ts'
import {
  boolean,
  definitions,
  implementation,
  list,
  optional,
  record,
  required,
  text,
} from '../language/shape.ts'
import type { AvailabilityRules, PlanPlugin, PlanWorkflow } from '../plan/plan.ts'
import type { DataType } from '../types/model.ts'
import { asMap } from '../types/property.ts'
import {
  given,
  givenItems,
  givenMap,
  givenText,
  nodePlace,
  textOf,
  toJson,
  type YamlMap,
  type YamlNode,
} from '../yaml/node.ts'
import { resolveImplementation, scriptPlugin } from './implementation.ts'
import { parameterSchema, readInputSchema } from './input.ts'
import { refuseOwnScript } from './plan-operation.ts'

/** `workflows` (docs/reference/language/workflows-and-settings.md, "Workflows") */
export const workflowsShape = definitions({
  kind: 'either',
  text: implementation,
  map: record({
    mapping: required(implementation),
    parameters: optional(parameterSchema),
    is_cascading: optional(boolean),
    availability_rules: optional(
      record({
        available: optional(boolean),
        node_instances_active: optional(list(text)),
        node_types_required: optional(list(text)),
      }),
      [1, 4],
    ),
  }),
})

const SCRIPT = 'Workflow script executed by the script plugin'
const ACTIVE: readonly string[] = ['all', 'partial', 'none']

export function planWorkflows(
  build: Build,
  dataTypes: Definitions<DataType>,
  plugins: Definitions<PlanPlugin>,
): { readonly [name: string]: PlanWorkflow } {
  const plan: { [name: string]: PlanWorkflow } = {}
  for (const [name, node] of sectionEntries(build, 'workflows')) {
    if (build.problems.broken.has(`workflows.${name}`)) continue
    attempt(build, () => {
      plan[name] = planWorkflow(build, dataTypes, plugins, name, node)
    })
  }
  return plan
}

function planWorkflow(
  build: Build,
  dataTypes: Definitions<DataType>,
  plugins: Definitions<PlanPlugin>,
  name: string,
  node: YamlNode,
): PlanWorkflow {
  const path = `workflows.${name}`
  const written = node.kind === 'map' ? node : undefined
  const mapping = textOf(node) ?? givenText(written, 'mapping') ?? ''
  const owner = {
    build,
    plugins: plugins.names(),
    notFoundCode: 21,
    label: `workflow '${name}'`,
    place: nodePlace(node),
    path,
  } as const
  if (mapping === '') {
    throw formatError(1, `The workflow '${name}' has no mapping.`, {
      place: nodePlace(node),
      path: `${path}.mapping`,
    })
  }
  const found = resolveImplementation(owner, mapping)
  const parameters = givenMap(written, 'parameters')
  const cascading = given(written, 'is_cascading')
  const common = {
    is_cascading: cascading?.kind === 'scalar' && cascading.value === true,
    availability_rules: availabilityRules(build, path, givenMap(written, 'availability_rules')),
  }
  const schemas = parameterSchemas(build, dataTypes, path, parameters)
  if (found.kind === 'plugin') {
    return { plugin: found.plugin, operation: found.operation, parameters: schemas, ...common }
  }
  if (found.kind === 'none') throw new Error('an empty mapping has been refused above')
  refuseOwnScript(parameters, owner)
  const script =
    found.kind === 'script'
      ? { script_path: { default: found.path, description: SCRIPT } }
      : { script_source: { default: found.source, description: SCRIPT } }
  return {
    plugin: scriptPlugin(owner),
    operation: 'script_runner.tasks.execute_workflow',
    parameters: { ...schemas, ...script },
    ...common,
  }
}

function parameterSchemas(
  build: Build,
  dataTypes: Definitions<DataType>,
  path: string,
  parameters: YamlMap | undefined,
): PlanWorkflow['parameters'] {
  const owner = {
    build,
    dataTypes,
    path: `${path}.parameters`,
    errorMessages: false,
    label: 'workflow parameter',
  }
  const schemas: { [name: string]: JsonObject } = {}
  for (const [name, entry] of parameters?.entries ?? []) {
    schemas[name] = toJson(readInputSchema(owner, name, asMap(entry)), build.conversion) as JsonObject
  }
  return schemas as PlanWorkflow['parameters']
}

function availabilityRules(build: Build, path: string, rules: YamlMap | undefined): AvailabilityRules | null {
  if (rules === undefined) return null
  for (const item of givenItems(rules, 'node_instances_active')) {
    const value = textOf(item) ?? ''
    if (ACTIVE.includes(value)) continue
    throw logicError(103, `Invalid value '${value}' of the availability rule node_instances_active.`, {
      place: nodePlace(item),
      path: `${path}.availability_rules.node_instances_active`,
      value,
      expected: ACTIVE.join(', '),
    })
  }
  return toJson(rules, build.conversion) as AvailabilityRules
}

/** Plugins of all workflows, one for each name, in workflow order (docs/reference/plan.md, "The plan"). */
export function workflowPlugins(
  workflows: { readonly [name: string]: PlanWorkflow },
  plugins: Definitions<PlanPlugin>,
): readonly PlanPlugin[] {
  const used = new Set(Object.values(workflows).map(({ plugin }) => plugin))
  return [...used].map((name) => plugins.get(name))
}
