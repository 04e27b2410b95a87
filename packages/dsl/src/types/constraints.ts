import { DslError } from '../diagnostic.ts'
import { isCall } from '../functions/call.ts'
import { pythonText } from '../functions/python-text.ts'
import { isList } from '../json.ts'
import { type ConstraintRequest, violation } from './constraint-rules.ts'
import { checkObject } from './object-constraints.ts'
import { OBJECT_TYPES, type ObjectType } from './objects.ts'

/**
 * The first constraint that `value` violates, per element where there is an `item_type`
 * (docs/reference/language/constraints.md, "Operators").
 */
export function checkConstraints(request: ConstraintRequest): DslError | null {
  const { name, value, schema } = request
  const rules = schema.constraints ?? []
  if (isCall(value)) {
    if (rules.length === 0) return null
    return new DslError(
      'DSLParsingException',
      `The value ${pythonText(value)} of ${name} cannot be a function, as there are also constraints.`,
      { code: 213 },
    )
  }
  const type = schema.item_type ?? schema.type ?? null
  const items = schema.item_type !== undefined && isList(value) ? value : [value]
  for (const item of items) {
    const error = isObjectType(type)
      ? checkObject(request, type, item, rules)
      : violation(request, type, item, rules)
    if (error !== null) return error
  }
  return null
}

function isObjectType(type: string | null): type is ObjectType {
  return type !== null && (OBJECT_TYPES as readonly string[]).includes(type)
}
