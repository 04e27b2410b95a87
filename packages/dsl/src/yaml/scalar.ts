import type { ScalarValue } from './node.ts'

// YAML 1.1 as the blueprint language knows it (docs/reference/language/README.md, "YAML"): `yes` is true, 017 is 15, 0o17 and 1e3 are text.
const BOOLEAN = /^(?:yes|Yes|YES|no|No|NO|true|True|TRUE|false|False|FALSE|on|On|ON|off|Off|OFF)$/
const TRUE = /^(?:yes|true|on)$/i
const NULL = /^(?:~|null|Null|NULL|)$/
const INTEGER = /^[-+]?(?:0b[01_]+|0[0-7_]+|0|[1-9][0-9_]*|0x[0-9a-fA-F_]+|[1-9][0-9_]*(?::[0-5]?[0-9])+)$/
const FLOAT =
  /^(?:[-+]?[0-9][0-9_]*\.[0-9_]*(?:[eE][-+][0-9]+)?|\.[0-9][0-9_]*(?:[eE][-+][0-9]+)?|[-+]?[0-9][0-9_]*(?::[0-5]?[0-9])+\.[0-9_]*|[-+]?\.(?:inf|Inf|INF)|\.(?:nan|NaN|NAN))$/
const DATE =
  /^(?:\d{4}-\d\d-\d\d|\d{4}-\d\d?-\d\d?(?:[Tt]|[ \t]+)\d\d?:\d\d:\d\d(?:\.\d*)?(?:[ \t]*(?:Z|[-+]\d\d?(?::\d\d)?))?)$/

/** Characters that something other than text may begin with. */
const MAY_BE_MORE_THAN_TEXT = /^[-+.~0-9yYnNtTfFoO]/

/** What an unquoted scalar without a tag means. */
export function plainScalar(text: string): ScalarValue {
  if (text !== '' && !MAY_BE_MORE_THAN_TEXT.test(text)) return { type: 'string', value: text }
  if (BOOLEAN.test(text)) return { type: 'boolean', value: TRUE.test(text) }
  if (NULL.test(text)) return { type: 'null', value: null }
  if (INTEGER.test(text)) return { type: 'integer', value: integer(text) }
  if (FLOAT.test(text)) return { type: 'float', value: float(text) }
  if (DATE.test(text)) return { type: 'date', value: text }
  return { type: 'string', value: text }
}

/** What a scalar with an explicit tag means; null when the text does not fit or the tag is unknown. */
export function taggedScalar(tag: string, text: string): ScalarValue | null {
  switch (tag) {
    case '!':
    case 'str':
      return { type: 'string', value: text }
    case 'null':
      return { type: 'null', value: null }
    case 'bool':
      return BOOLEAN.test(text) ? { type: 'boolean', value: TRUE.test(text) } : null
    case 'int':
      return INTEGER.test(text) ? { type: 'integer', value: integer(text) } : null
    case 'float':
      return FLOAT.test(text) || INTEGER.test(text) ? { type: 'float', value: float(text) } : null
    default:
      return null
  }
}

function integer(text: string): number {
  const digits = text.replaceAll('_', '').replace(/^[-+]/, '')
  const sign = text.startsWith('-') ? -1 : 1
  if (digits.startsWith('0b')) return sign * Number.parseInt(digits.slice(2), 2)
  if (digits.startsWith('0x')) return sign * Number.parseInt(digits.slice(2), 16)
  if (digits.length > 1 && digits.startsWith('0')) return sign * Number.parseInt(digits, 8)
  return sign * sexagesimal(digits)
}

function float(text: string): number {
  const digits = text.replaceAll('_', '').replace(/^[-+]/, '').toLowerCase()
  const sign = text.startsWith('-') ? -1 : 1
  if (digits === '.inf') return sign * Number.POSITIVE_INFINITY
  if (digits === '.nan') return Number.NaN
  return sign * sexagesimal(digits)
}

/** `1:30` is 90. */
function sexagesimal(digits: string): number {
  return digits.split(':').reduce((total, part) => total * 60 + Number(part), 0)
}
