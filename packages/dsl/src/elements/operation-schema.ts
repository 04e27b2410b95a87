import type { Build, Definitions } from '../language/build.ts'
import type { DataType } from '../types/model.ts'
import { asMap } from '../types/property.ts'
import { mapLike, type YamlEntry } from '../yaml/node.ts'
import { readInputSchema } from './input.ts'
import type { Interfaces, Operation } from './operation.ts'

/**
 * Checks the input schemas of a type's operations; gives them with their defaults completed
 * (docs/reference/language/plugins-and-operations.md, "Interfaces").
 */
export function checkOperationSchemas(
  build: Build,
  dataTypes: Definitions<DataType>,
  interfaces: Interfaces,
): Interfaces {
  const checked = new Map<string, Map<string, Operation>>()
  for (const [name, operations] of interfaces) {
    const done = new Map<string, Operation>()
    for (const [operationName, operation] of operations) {
      done.set(operationName, { ...operation, inputs: checkedInputs(build, dataTypes, operation) })
    }
    checked.set(name, done)
  }
  return checked
}

function checkedInputs(
  build: Build,
  dataTypes: Definitions<DataType>,
  operation: Operation,
): Operation['inputs'] {
  if (operation.inputs === undefined) return undefined
  const owner = {
    build,
    dataTypes,
    path: `${operation.path}.inputs`,
    errorMessages: true,
    label: `operation input`,
  }
  const entries = [...operation.inputs.entries].map(([name, entry]): [string, YamlEntry] => [
    name,
    { key: entry.key, value: readInputSchema(owner, name, asMap(entry)) },
  ])
  return mapLike(operation.inputs, entries)
}
