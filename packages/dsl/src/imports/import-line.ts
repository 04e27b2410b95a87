import { formatError, type Place } from '../diagnostic.ts'
import { summary } from '../language/summary.ts'
import { checkSince, type Version } from '../language/version.ts'
import { given, kindOf, nodePlace, textOf, type YamlMap, type YamlNode } from '../yaml/node.ts'
import { splitNamespace } from './location.ts'

/** One item of `imports` (docs/reference/language/imports.md, "Import lines"). */
export type ImportLine = {
  readonly written: string
  readonly namespace: string
  readonly location: string
  readonly properties: YamlMap | null
  readonly place: Place
  readonly path: string
}

export type ImportLineRules = {
  /** The main file may not repeat a line; elsewhere repetitions are ignored. */
  readonly refuseRepetition: boolean
  readonly gates: Version | null
}

export function readImportLines(root: YamlMap, rules: ImportLineRules): readonly ImportLine[] {
  const imports = given(root, 'imports')
  if (imports === undefined) return []
  if (imports.kind !== 'list') {
    throw formatError(1, `'imports' should be a list but is a ${kindOf(imports)}.`, {
      place: nodePlace(imports),
      path: 'imports',
      value: summary(imports),
      expected: 'list',
    })
  }
  const written = new Set<string>()
  return imports.items.map((item, index) => {
    const line = readImportLine(item, `imports.${index}`, rules)
    if (rules.refuseRepetition && written.has(line.written)) {
      throw formatError(2, `'${line.written}' is imported twice.`, {
        place: line.place,
        path: line.path,
        value: line.written,
      })
    }
    written.add(line.written)
    return line
  })
}

function readImportLine(item: YamlNode, path: string, rules: ImportLineRules): ImportLine {
  const place = nodePlace(item)
  const text = textOf(item)
  if (text !== undefined)
    return { written: text, ...splitNamespace(text, place), properties: null, place, path }
  const at = { place, path, value: summary(item) }
  if (item.kind !== 'map') {
    throw formatError(1, `An import should be a string but is ${kindOf(item)}.`, {
      ...at,
      expected: 'string',
    })
  }
  const [entry, ...further] = [...item.entries]
  if (entry === undefined || further.length > 0) {
    throw formatError(220, 'An import with properties has exactly one entry.', {
      ...at,
      expected: '{location: {property: value}}',
    })
  }
  const [written, { key, value }] = entry
  if (value.kind !== 'map') {
    throw formatError(
      1,
      `The properties of import '${written}' should be a dict but are a ${kindOf(value)}.`,
      {
        place: nodePlace(key),
        path: `${path}.${written}`,
        expected: 'dict',
      },
    )
  }
  checkSince('import with properties', [1, 5], rules.gates, at)
  return { written, ...splitNamespace(written, place), properties: value, place, path }
}
