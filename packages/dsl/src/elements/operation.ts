import { DslError, logicError } from '../diagnostic.ts'
import {
  anything,
  boolean,
  type Field,
  implementation,
  integer,
  map,
  number,
  optional,
  record,
  type Shape,
  text,
} from '../language/shape.ts'
import { given, givenMap, givenText, nodePlace, textOf, type YamlMap, type YamlNode } from '../yaml/node.ts'
import { inputSchema } from './input.ts'
import { EXECUTORS } from './plugin.ts'

function operationFields(inputs: Shape): { readonly [key: string]: Field } {
  return {
    implementation: optional(implementation),
    inputs: optional(inputs),
    executor: optional(text),
    max_retries: optional(integer, [1, 1]),
    retry_interval: optional(number, [1, 1]),
    timeout: optional(number),
    timeout_recoverable: optional(boolean),
  }
}

function interfacesShape(inputs: Shape): Shape {
  return map(map({ kind: 'either', text: implementation, map: record(operationFields(inputs)) }))
}

/**
 * `interfaces` of types, whose operations declare their inputs (docs/reference/language/plugins-and-operations.md,
 * "Interfaces").
 */
export const typeInterfaces = interfacesShape(inputSchema)
/** `interfaces` of templates, whose operations give values. */
export const templateInterfaces = interfacesShape(map(anything))

/** An operation as written; null where the author says nothing. */
export type Operation = {
  readonly node: YamlNode
  readonly path: string
  /** `interface.operation`. Kept, as a text that is a key is dear to make again for each node. */
  readonly longName: string
  readonly implementation: string
  readonly inputs: YamlMap | undefined
  readonly executor: string | null
  readonly max_retries: number | null
  readonly retry_interval: number | null
  readonly timeout: number | null
  readonly timeout_recoverable: boolean | null
}

/** Interface name → operation name → operation. */
export type Interfaces = ReadonlyMap<string, ReadonlyMap<string, Operation>>

export function readInterfaces(interfaces: YamlMap | undefined, path: string): Interfaces {
  const read = new Map<string, ReadonlyMap<string, Operation>>()
  for (const [name, entry] of interfaces?.entries ?? []) {
    const operations = new Map<string, Operation>()
    if (entry.value.kind === 'map') {
      for (const [operation, { value }] of entry.value.entries) {
        operations.set(operation, readOperation(value, path, `${name}.${operation}`))
      }
    }
    read.set(name, operations)
  }
  return read
}

function readOperation(node: YamlNode, owner: string, longName: string): Operation {
  const path = `${owner}.${longName}`
  const fields = node.kind === 'map' ? node : undefined
  const executor = givenText(fields, 'executor') ?? null
  if (executor !== null && !EXECUTORS.includes(executor)) {
    const at = given(fields, 'executor') ?? node
    throw logicError(28, `The operation '${path}' has an illegal executor '${executor}'.`, {
      place: nodePlace(at),
      path: `${path}.executor`,
      value: executor,
      expected: EXECUTORS.join(' or '),
    })
  }
  const recoverable = given(fields, 'timeout_recoverable')
  return {
    node,
    path,
    longName,
    implementation: textOf(node) ?? givenText(fields, 'implementation') ?? '',
    inputs: givenMap(fields, 'inputs'),
    executor,
    max_retries: numberOf(fields, 'max_retries', -1, path),
    retry_interval: numberOf(fields, 'retry_interval', 0, path),
    timeout: numberOf(fields, 'timeout', 0, path),
    timeout_recoverable:
      recoverable?.kind === 'scalar' && recoverable.type === 'boolean' ? recoverable.value : null,
  }
}

function numberOf(fields: YamlMap | undefined, key: string, least: number, path: string): number | null {
  const node = given(fields, key)
  if (node?.kind !== 'scalar' || typeof node.value !== 'number') return null
  if (node.value >= least) return node.value
  throw new DslError(
    'ValueError',
    `'${key}' of ${path} is ${node.value}, but the least allowed is ${least}.`,
    {
      place: nodePlace(node),
      path: `${path}.${key}`,
      value: String(node.value),
      expected: `${least} or more`,
    },
  )
}

/**
 * Union of interfaces and of their operations; the child's operation replaces the parent's
 * (docs/reference/language/plugins-and-operations.md, "Type and template").
 */
export function derivedInterfaces(parent: Interfaces, child: Interfaces): Interfaces {
  const derived = new Map(parent)
  for (const [name, operations] of child) {
    derived.set(name, new Map([...(parent.get(name) ?? []), ...operations]))
  }
  return derived
}
