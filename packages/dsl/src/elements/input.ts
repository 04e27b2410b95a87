import { DslError, logicError } from '../diagnostic.ts'
import { isCallNode } from '../functions/call.ts'
import { attempt, type Build, type Definitions, sectionEntries } from '../language/build.ts'
import {
  anything,
  boolean,
  definitions,
  type Field,
  integer,
  list,
  map,
  optional,
  record,
  type Shape,
  text,
  typeOf,
} from '../language/shape.ts'
import { checkSince } from '../language/version.ts'
import type { InputSchema } from '../plan/plan.ts'
import { misfit } from '../types/check.ts'
import { completeValue } from '../types/complete.ts'
import { checkConstraintSyntax } from '../types/constraint-syntax.ts'
import type { DataType } from '../types/model.ts'
import { isPrimitive, PRIMITIVE_TYPES } from '../types/primitive.ts'
import { checkTypeName, propertyFields, requiredOf } from '../types/property.ts'
import {
  given,
  givenText,
  isNull,
  mapLike,
  nodePlace,
  toJson,
  type YamlEntry,
  type YamlMap,
} from '../yaml/node.ts'

const constraints: Field = optional(list(map(anything)))

/** Workflow parameters (docs/reference/language/inputs.md, "Parameters of a workflow"). */
export const parameterFields: { readonly [key: string]: Field } = {
  ...propertyFields,
  type: optional(typeOf),
  item_type: optional(text, [1, 4]),
  constraints,
}

/**
 * Inputs and the inputs of operations in types (docs/reference/language/types.md, "Property schemas";
 * docs/reference/language/inputs.md, "Declaring").
 */
export const inputFields: { readonly [key: string]: Field } = {
  ...parameterFields,
  display_label: optional(text, [1, 3]),
  hidden: optional(boolean, [1, 3]),
  display: optional(record({ rows: optional(integer) })),
}

export const inputSchema: Shape = map(record(inputFields))
export const parameterSchema: Shape = map(record(parameterFields))
export const inputsShape = definitions(record(inputFields))

export type SchemaOwner = {
  readonly build: Build
  readonly dataTypes: Definitions<DataType>
  readonly path: string
  /** `error_message` beside a constraint is for inputs alone (docs/reference/language/constraints.md, "Form"). */
  readonly errorMessages: boolean
  /** What is called incomplete in messages. */
  readonly label: string
}

/**
 * A schema entry checked, with its default completed: what the plan shows of it (docs/reference/language/types.md,
 * "Property schemas"; docs/reference/language/inputs.md, "Declaring").
 */
export function readInputSchema(owner: SchemaOwner, name: string, written: YamlMap): YamlMap {
  const path = `${owner.path}.${name}`
  const type = givenText(written, 'type') ?? null
  checkTypeName({ ...owner, label: '' }, type, written, `${path}.type`)
  const itemType = givenText(written, 'item_type') ?? null
  if (itemType !== null) checkItemType(owner, type, itemType, written, path)
  const rules = given(written, 'constraints')
  if (rules !== undefined) {
    checkConstraintSyntax(rules, {
      path: `${path}.constraints`,
      gates: owner.build.gates,
      errorMessages: owner.errorMessages,
    })
  }
  const own = written.entries.get('default')?.value
  const isData = type !== null && owner.dataTypes.has(type)
  const fallback =
    own === undefined
      ? undefined
      : completeValue(
          {
            dataTypes: owner.dataTypes,
            label: owner.label,
            path: `${path}.default`,
            partial: false,
            missing: (dotted) =>
              `Value of ${owner.label} ${name} is missing property ${memberOf(dotted, name)}.`,
            undefinedName: (dotted) =>
              `Undefined property ${memberOf(dotted, name)} in default value of ${owner.label} ${name}.`,
          },
          name,
          type,
          isData && isNull(own) ? undefined : own,
          undefined,
        )
  if (itemType !== null && fallback?.kind === 'list') {
    for (const item of fallback.items) {
      const found = misfit(item, itemType)
      if (found === null) continue
      throw logicError(105, `An item of the default of ${name} should be ${itemType} but is ${found}.`, {
        place: nodePlace(item),
        path: `${path}.default`,
        expected: itemType,
      })
    }
  }
  return withDefault(written, fallback)
}

function memberOf(dotted: string, name: string): string {
  return dotted.slice(name.length + 1)
}

function withDefault(written: YamlMap, fallback: YamlEntry['value'] | undefined): YamlMap {
  const entries = new Map<string, YamlEntry>()
  for (const [key, entry] of written.entries) {
    if (key === 'default') entries.set(key, { ...entry, value: fallback ?? entry.value })
    else if (!isNull(entry.value)) entries.set(key, entry)
  }
  return mapLike(written, entries)
}

function checkItemType(
  owner: SchemaOwner,
  type: string | null,
  itemType: string,
  written: YamlMap,
  path: string,
): void {
  const node = given(written, 'item_type') ?? written
  const at = { place: nodePlace(node), path: `${path}.item_type`, value: itemType }
  if (type !== 'list') {
    throw logicError(218, `item_type is for lists only, but the type is '${type ?? 'not given'}'.`, {
      ...at,
      expected: 'type: list',
    })
  }
  if (!isPrimitive(itemType)) {
    throw logicError(217, `item_type '${itemType}' is not a primitive type.`, {
      ...at,
      expected: `one of ${Object.keys(PRIMITIVE_TYPES).join(', ')}`,
    })
  }
  checkSince(`type '${itemType}'`, PRIMITIVE_TYPES[itemType], owner.build.gates, at)
}

/** `inputs` of the plan (docs/reference/plan.md, "The plan"). */
export function planInputs(
  build: Build,
  dataTypes: Definitions<DataType>,
): { readonly [name: string]: InputSchema } {
  const owner: SchemaOwner = { build, dataTypes, path: 'inputs', errorMessages: true, label: 'input' }
  const plan: { [name: string]: InputSchema } = {}
  for (const [name, node] of sectionEntries(build, 'inputs')) {
    attempt(build, () => {
      const written = node.kind === 'map' ? node : mapLike(node, [])
      checkHidden(name, written)
      checkDisplay(name, written)
      const complete = readInputSchema(owner, name, written)
      const fallback = given(complete, 'default')
      if (fallback !== undefined && isCallNode(fallback) && given(written, 'constraints') !== undefined) {
        throw new DslError(
          'DSLParsingException',
          `The default of input ${name} cannot be a function, as the input also has constraints.`,
          { code: 213, place: nodePlace(fallback), path: `inputs.${name}.default` },
        )
      }
      plan[name] = toJson(complete, build.conversion) as InputSchema
    })
  }
  return plan
}

function checkHidden(name: string, written: YamlMap): void {
  const hidden = given(written, 'hidden')
  if (hidden?.kind !== 'scalar' || hidden.value !== true) return
  if (!requiredOf(written) || written.entries.has('default')) return
  throw logicError(215, `The input '${name}' is hidden and required, so it should have a default.`, {
    place: nodePlace(written),
    path: `inputs.${name}`,
    expected: 'a default, or required: false',
  })
}

function checkDisplay(name: string, written: YamlMap): void {
  const display = given(written, 'display')
  if (display === undefined || givenText(written, 'type') === 'textarea') return
  throw new DslError(
    'DSLParsingInputTypeException',
    `The input '${name}' has 'display', which is for type textarea only.`,
    { code: 216, place: nodePlace(display), path: `inputs.${name}.display`, expected: 'type: textarea' },
  )
}
