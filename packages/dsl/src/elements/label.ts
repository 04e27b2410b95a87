import { DslError } from '../diagnostic.ts'
import { calledInNode } from '../functions/call.ts'
import { attempt, type Build, sectionEntries } from '../language/build.ts'
import { anything, definitions, list, record, required } from '../language/shape.ts'
import { summary } from '../language/summary.ts'
import type { PlanLabel } from '../plan/plan.ts'
import { givenItems, isNull, nodePlace, toJson, type YamlNode } from '../yaml/node.ts'

/** `labels` and `blueprint_labels` (docs/reference/language/workflows-and-settings.md, "Labels and tags") */
export const labelsShape = definitions(record({ values: required(list(anything)) }))

export function planLabels(
  build: Build,
  section: 'labels' | 'blueprint_labels',
): { readonly [key: string]: PlanLabel } {
  const plan: { [key: string]: PlanLabel } = {}
  for (const [key, node] of sectionEntries(build, section)) {
    if (node.kind !== 'map') continue
    attempt(build, () => {
      const values = givenItems(node, 'values')
      for (const value of values) checkValue(value, section, key)
      plan[key] = { values: values.map((value) => toJson(value, build.conversion)) }
    })
  }
  return plan
}

function checkValue(value: YamlNode, section: 'labels' | 'blueprint_labels', key: string): void {
  if (isNull(value) || (value.kind === 'scalar' && value.type === 'string')) return
  if (section === 'labels' && value.kind === 'map' && calledInNode(value) !== 'get_attribute') return
  const expected = section === 'labels' ? 'a string, or a function other than get_attribute' : 'a string'
  throw new DslError('DSLParsingException', `The value of label '${key}' must be ${expected}.`, {
    code: 1,
    place: nodePlace(value),
    path: `${section}.${key}.values`,
    value: summary(value),
    expected,
  })
}
