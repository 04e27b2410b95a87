import { concat, merge } from './concat.ts'
import type { FunctionDefinition } from './definition.ts'
import { getAttribute, getAttributesDict, getAttributesList } from './get-attribute.ts'
import { getCapability, getEnvironmentCapability, getGroupCapability } from './get-capability.ts'
import { getConsumers } from './get-consumers.ts'
import { getInput } from './get-input.ts'
import { getLabel } from './get-label.ts'
import { getProperty } from './get-property.ts'
import { getSecret } from './get-secret.ts'
import { getSys } from './get-sys.ts'
import type { FunctionName } from './names.ts'
import { stringFind, stringLower, stringReplace, stringSplit, stringUpper } from './string.ts'

/** Every function of the language (docs/reference/language/functions.md, "The functions"). */
export const FUNCTIONS: { readonly [name in FunctionName]: FunctionDefinition } = {
  get_input: getInput,
  get_property: getProperty,
  get_attribute: getAttribute,
  get_attributes_list: getAttributesList,
  get_attributes_dict: getAttributesDict,
  get_secret: getSecret,
  get_capability: getCapability,
  get_environment_capability: getEnvironmentCapability,
  get_group_capability: getGroupCapability,
  get_label: getLabel,
  get_sys: getSys,
  get_consumers: getConsumers,
  concat,
  merge,
  string_find: stringFind,
  string_replace: stringReplace,
  string_split: stringSplit,
  string_lower: stringLower,
  string_upper: stringUpper,
}
