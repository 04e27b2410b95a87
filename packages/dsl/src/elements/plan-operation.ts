import { logicError } from '../diagnostic.ts'
import { isCallNode } from '../functions/call.ts'
import type { JsonObject } from '../json.ts'
import { type Build, type Definitions, once } from '../language/build.ts'
import type { InterfaceOperation, PlanOperation, PlanPlugin } from '../plan/plan.ts'
import { givenText, mapLike, nodePlace, toJson, type YamlEntry, type YamlMap } from '../yaml/node.ts'
import { type ImplementationOwner, resolveImplementation, scriptPlugin } from './implementation.ts'
import type { Interfaces, Operation } from './operation.ts'

/**
 * An operation after the merge of type and template: its inputs are values
 * (docs/reference/language/plugins-and-operations.md, "Type and template").
 */
export interface MergedOperation extends Omit<Operation, 'inputs'> {
  readonly inputs: YamlMap
  readonly inputs_types: { readonly [name: string]: string }
}

export type MergedInterfaces = ReadonlyMap<string, ReadonlyMap<string, MergedOperation>>

/**
 * The interfaces of a template over those of its type (docs/reference/language/plugins-and-operations.md, "Type and
 * template").
 */
export function mergedInterfaces(build: Build, type: Interfaces, template: Interfaces): MergedInterfaces {
  return template.size === 0
    ? once(build, 'merged', type, () => merge(build, type, template))
    : merge(build, type, template)
}

function merge(build: Build, type: Interfaces, template: Interfaces): MergedInterfaces {
  const merged = new Map<string, ReadonlyMap<string, MergedOperation>>()
  for (const name of new Set([...type.keys(), ...template.keys()])) {
    const fromType = type.get(name)
    const fromTemplate = template.get(name)
    if (fromType !== undefined && fromTemplate === undefined) {
      merged.set(
        name,
        once(build, 'merged', fromType, () => mergeOperations(build, fromType, undefined)),
      )
    } else merged.set(name, mergeOperations(build, fromType, fromTemplate))
  }
  return merged
}

function mergeOperations(
  build: Build,
  fromType: ReadonlyMap<string, Operation> | undefined,
  fromTemplate: ReadonlyMap<string, Operation> | undefined,
): ReadonlyMap<string, MergedOperation> {
  const operations = new Map<string, MergedOperation>()
  for (const name of new Set([...(fromType?.keys() ?? []), ...(fromTemplate?.keys() ?? [])])) {
    const type = fromType?.get(name)
    const template = fromTemplate?.get(name)
    const inherits = type !== undefined && template === undefined
    operations.set(
      name,
      inherits
        ? once(build, 'merged', type, () => mergeOperation(type, undefined))
        : mergeOperation(type, template),
    )
  }
  return operations
}

function mergeOperation(type: Operation | undefined, template: Operation | undefined): MergedOperation {
  if (type === undefined && template !== undefined) return asWritten(template)
  if (type === undefined) throw new Error('an operation is in the type or in the template')
  if (template === undefined)
    return isNoOp(type) ? asWritten({ ...type, inputs: undefined }) : withDefaults(type, type, undefined)
  if (isNoOp(template) || isNoOp(type)) return asWritten(template)
  const implementation = template.implementation === '' ? type.implementation : template.implementation
  if (implementation !== type.implementation) return asWritten({ ...template, implementation })
  return withDefaults(type, { ...template, implementation }, template.inputs)
}

/** All fields empty. */
function isNoOp(operation: Operation): boolean {
  return (
    operation.implementation === '' &&
    (operation.inputs === undefined || operation.inputs.entries.size === 0) &&
    operation.executor === null &&
    operation.max_retries === null &&
    operation.retry_interval === null &&
    operation.timeout === null &&
    operation.timeout_recoverable === null
  )
}

function asWritten(operation: Operation): MergedOperation {
  return { ...operation, inputs: operation.inputs ?? mapLike(operation.node, []), inputs_types: {} }
}

/**
 * The type's operation with the template's inputs over the defaults, and its fields where it has any. How often and how
 * soon it is tried again is the template's to say: where that says nothing, it is as the manager's settings say.
 */
function withDefaults(type: Operation, own: Operation, values: YamlMap | undefined): MergedOperation {
  const entries = new Map<string, YamlEntry>()
  const types: { [name: string]: string } = {}
  for (const [name, { key, value }] of type.inputs?.entries ?? []) {
    const schema = value.kind === 'map' ? value : undefined
    const entry = values?.entries.get(name) ?? schema?.entries.get('default')
    if (entry === undefined) {
      throw logicError(
        107,
        `The operation '${own.path}' does not provide a value for its mandatory input '${name}'.`,
        {
          place: nodePlace(own.node),
          path: `${own.path}.inputs.${name}`,
          expected: `a value for '${name}'`,
        },
      )
    }
    const typed = entry.value.kind === 'map' ? typedCall(entry.value, schema) : entry.value
    entries.set(name, { key, value: typed })
    const declared = givenText(schema, 'type')
    if (declared !== undefined && entry.value.kind === 'map') types[name] = declared
  }
  for (const [name, entry] of values?.entries ?? []) if (!entries.has(name)) entries.set(name, entry)
  return {
    ...own,
    executor: own.executor ?? type.executor,
    timeout: own.timeout ?? type.timeout,
    timeout_recoverable: own.timeout_recoverable ?? type.timeout_recoverable,
    inputs: mapLike(own.node, entries),
    inputs_types: types,
  }
}

/** A function that stands for a typed input carries the type, so that what it gives is checked when it is evaluated. */
function typedCall(value: YamlMap, schema: YamlMap | undefined): YamlMap {
  const type = schema?.entries.get('type')
  if (type === undefined || value.entries.has('type') || !isCallNode(value)) return value
  return mapLike(value, [...value.entries, ['type', type]])
}

type PlanInterfaces = { readonly [name: string]: { readonly [operation: string]: InterfaceOperation } }

/** Interfaces as the plan shows them (docs/reference/plan.md, "Nodes"); in types the inputs stay schemas. */
export function planInterfaces(build: Build, interfaces: MergedInterfaces | Interfaces): PlanInterfaces {
  return once(build, 'interfaces', interfaces, () => writtenInterfaces(build, interfaces))
}

function writtenInterfaces(build: Build, interfaces: MergedInterfaces | Interfaces): PlanInterfaces {
  const plan: { [name: string]: { [operation: string]: InterfaceOperation } } = {}
  for (const [name, operations] of interfaces) {
    plan[name] = once(build, 'interface', operations, () => writtenInterface(build, operations))
  }
  return plan
}

/** What a template leaves as its type has it is the same object in all nodes, and stored once. */
function writtenInterface(build: Build, operations: ReadonlyMap<string, MergedOperation | Operation>) {
  const planned: { [operation: string]: InterfaceOperation } = {}
  for (const [name, operation] of operations) {
    planned[name] = once(build, 'interface operation', operation, () => ({
      implementation: operation.implementation,
      inputs: inputsJson(build, operation.inputs),
      executor: operation.executor,
      max_retries: operation.max_retries,
      retry_interval: operation.retry_interval,
      timeout: operation.timeout,
      timeout_recoverable: operation.timeout_recoverable,
    }))
  }
  return planned
}

function inputsJson(build: Build, inputs: YamlMap | undefined): JsonObject {
  return inputs === undefined ? {} : (toJson(inputs, build.conversion) as JsonObject)
}

export type OperationsOwner = {
  readonly build: Build
  readonly plugins: Definitions<PlanPlugin>
  readonly notFoundCode: 10 | 19
  readonly label: string
}

/** Operations by long and by short name; an ambiguous short name is left out (docs/reference/plan.md, "Nodes"). */
export function planOperations(
  owner: OperationsOwner,
  interfaces: MergedInterfaces,
): { readonly [name: string]: PlanOperation } {
  return once(owner.build, `operations ${owner.notFoundCode}`, interfaces, () =>
    namedOperations(owner, interfaces),
  )
}

function namedOperations(
  owner: OperationsOwner,
  interfaces: MergedInterfaces,
): { readonly [name: string]: PlanOperation } {
  const plan: { [name: string]: PlanOperation } = {}
  const uses = new Map<string, number>()
  for (const operations of interfaces.values()) {
    for (const name of operations.keys()) uses.set(name, (uses.get(name) ?? 0) + 1)
  }
  for (const operations of interfaces.values()) {
    for (const [name, operation] of operations) {
      const planned = once(owner.build, `operation ${owner.notFoundCode}`, operation, () =>
        planOperation(owner, operation),
      )
      if (uses.get(name) === 1) plan[name] = planned
      plan[operation.longName] = planned
    }
  }
  return plan
}

export function planOperation(owner: OperationsOwner, operation: MergedOperation): PlanOperation {
  const implementationOwner: ImplementationOwner = {
    build: owner.build,
    plugins: owner.plugins.names(),
    notFoundCode: owner.notFoundCode,
    label: `${owner.label}, operation '${operation.path}'`,
    place: nodePlace(operation.node),
    path: operation.path,
  }
  const implementation = resolveImplementation(implementationOwner, operation.implementation)
  const inputs = inputsJson(owner.build, operation.inputs)
  const common = {
    has_intrinsic_functions: false,
    max_retries: operation.max_retries,
    retry_interval: operation.retry_interval,
    timeout: operation.timeout,
    timeout_recoverable: operation.timeout_recoverable,
    ...(Object.keys(operation.inputs_types).length === 0 ? {} : { inputs_types: operation.inputs_types }),
  }
  switch (implementation.kind) {
    case 'none':
      return { plugin: '', operation: '', executor: null, inputs: {}, ...common }
    case 'plugin':
      return {
        plugin: implementation.plugin,
        operation: implementation.operation,
        executor: operation.executor ?? owner.plugins.get(implementation.plugin).executor,
        inputs,
        ...common,
      }
    case 'script':
    case 'inline': {
      const name = implementation.kind === 'script' ? 'script_path' : 'script_source'
      const value = implementation.kind === 'script' ? implementation.path : implementation.source
      refuseOwnScript(operation.inputs, implementationOwner)
      return {
        plugin: scriptPlugin(implementationOwner),
        operation: 'script_runner.tasks.run',
        executor: operation.executor ?? 'auto',
        inputs: { ...inputs, [name]: value },
        ...common,
      }
    }
  }
}

/** The inputs that say which script runs are the language's to give. */
export function refuseOwnScript(inputs: YamlMap | undefined, owner: ImplementationOwner): void {
  for (const name of ['script_path', 'script_source']) {
    const entry = inputs?.entries.get(name)
    if (entry === undefined) continue
    throw logicError(
      60,
      `${owner.label}: '${name}' cannot be given, as it is made from the implementation.`,
      {
        place: nodePlace(entry.key),
        path: `${owner.path}.inputs.${name}`,
      },
    )
  }
}
