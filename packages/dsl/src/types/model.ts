import type { YamlMap, YamlNode } from '../yaml/node.ts'

export type Property = {
  readonly name: string
  readonly written: YamlMap
  readonly type: string | null
  readonly required: boolean
  /** For a data type the author's default over the type's own (docs/reference/language/types.md, "Defaults"). */
  readonly fallback: YamlNode | undefined
}

export type Properties = ReadonlyMap<string, Property>

export type DataType = {
  readonly name: string
  readonly written: YamlMap
  readonly properties: Properties
  /** Members with all nested ones. */
  readonly size: number
}
