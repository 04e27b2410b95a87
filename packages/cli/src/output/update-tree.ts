import type { DeploymentUpdate } from '@tutti/api'
import type { Colour, Style } from './style.ts'

type Properties = Readonly<Record<string, unknown>>

/** Properties of the deployment's nodes as they are now, by node. */
export type PresentNodes = ReadonlyMap<string, Properties>

type Mark = '+' | '−' | '~' | '↻'

const colours: Readonly<Record<Mark, Colour>> = { '+': 'green', '−': 'red', '~': 'yellow', '↻': 'cyan' }
const marks: Readonly<Record<string, Mark>> = { add: '+', remove: '−', modify: '~' }

/** What an update does, node by node: what comes (+), goes (−), changes (~), and what is done to its instances (↻). */
export function updateTree(update: DeploymentUpdate, present: PresentNodes, style: Style): string {
  const line = (depth: number, mark: Mark, text: string) =>
    `${'  '.repeat(depth)}${style(colours[mark], `${mark} ${text}`)}`
  const lines = [
    ...headLines(update, line),
    ...nodeLines(update, present, line),
    ...(update.labels_to_create ?? []).map(({ key, value }) => line(0, '+', `label ${key}:${value}`)),
  ]
  const dependents = (update.recursive_dependencies ?? []).map(
    ({ deployment, target }) => `  ${deployment} depends on ${target}`,
  )
  return [
    ...(lines.length === 0 ? ['Nothing changes.'] : lines),
    ...(dependents.length === 0 ? [] : ['These deployments may be affected:', ...dependents]),
  ].join('\n')
}

type Line = (depth: number, mark: Mark, text: string) => string

function headLines({ steps, ...update }: DeploymentUpdate, line: Line): readonly string[] {
  const { old_blueprint_id: old, new_blueprint_id: now } = update
  const inputs = changedMembers(update.old_inputs, update.new_inputs)
  return [
    ...(old === now ? [] : [line(0, '~', `blueprint ${old} → ${now}`)]),
    ...inputs.map(({ mark, name, text }) => line(0, mark, `input ${name}${text}`)),
    ...steps.flatMap((step) => {
      const { action, entity_type: type, entity_id: id } = stepOf(step)
      if (id[0] === 'nodes' || type === 'plugin' || type === 'workflow') return []
      return [line(0, marks[action] ?? '~', [type, ...id.slice(1)].join(' '))]
    }),
  ]
}

function nodeLines(update: DeploymentUpdate, present: PresentNodes, line: Line): readonly string[] {
  const { add = [], remove = [], modify_attributes: modified = {} } = update.deployment_update_nodes ?? {}
  const lists = update.deployment_update_node_instances ?? {}
  const coming = byNode(lists.added_and_related, 'added')
  const going = byNode(lists.removed_and_related, 'removed')
  const changes = Map.groupBy(update.instance_changes ?? [], ({ node_id: node }) => String(node))
  const names = [
    ...new Set([
      ...remove,
      ...add,
      ...Object.keys(modified),
      ...coming.keys(),
      ...going.keys(),
      ...changes.keys(),
    ]),
  ]
  return names.flatMap((node) => {
    const mark: Mark = add.includes(node) ? '+' : remove.includes(node) ? '−' : '~'
    return [
      line(0, mark, `node ${node}`),
      ...(mark === '~' ? partLines(update, node, present.get(node) ?? {}, line) : []),
      ...(going.get(node) ?? []).map((id) => line(1, '−', `instance ${id}`)),
      ...(coming.get(node) ?? []).map((id) => line(1, '+', `instance ${id}`)),
      ...(changes.get(node) ?? []).map(({ id, change, because }) =>
        line(1, '↻', `instance ${id} ${told(String(change), String(because))}`),
      ),
    ]
  })
}

function partLines(
  update: DeploymentUpdate,
  node: string,
  present: Properties,
  line: Line,
): readonly string[] {
  const planned = plannedProperties(update, node)
  const of = update.steps
    .map(stepOf)
    .filter(({ entity_id: [list, name] }) => list === 'nodes' && name === node)
  return of.flatMap(({ action, entity_type: type, entity_id: [, , part, ...rest] }) => {
    const mark = marks[action] ?? '~'
    const [name = ''] = rest
    if (type === 'node') return []
    if (type === 'property' && part === 'properties') {
      return changedMembers({ [name]: present[name] }, { [name]: planned[name] }).map(({ text }) =>
        line(1, mark, `property ${name}${text}`),
      )
    }
    // The same operation stands there under its short name too.
    const isLong = type === 'operation' && String(rest.at(-1)).includes('.')
    return isLong ? [] : [line(1, mark, [type, ...rest].join(' '))]
  })
}

function plannedProperties({ deployment_plan: plan }: DeploymentUpdate, node: string): Properties {
  const nodes = Array.isArray(plan?.nodes) ? plan.nodes : []
  const found: unknown = nodes.find(({ id }: { readonly id?: unknown }) => id === node)
  const { properties = {} } = (found ?? {}) as { readonly properties?: Properties }
  return properties
}

const because: Readonly<Record<string, string>> = {
  changed: 'its node has changed',
  listed: 'you asked for it',
  contained: 'what contains it is reinstalled',
  update_failed: 'it is not well',
}

function told(change: string, reason: string): string {
  if (change === 'check_drift') return 'is checked for drift, and updated or reinstalled if it has any'
  return `is ${change === 'update' ? 'updated' : 'reinstalled'}: ${because[reason] ?? reason}`
}

/** ` = NEW`, ` (was OLD)` or `: OLD → NEW`. */
type Difference = { readonly mark: Mark; readonly name: string; readonly text: string }

/** Members that differ. */
function changedMembers(old: Properties, now: Properties): readonly Difference[] {
  return [...new Set([...Object.keys(old), ...Object.keys(now)])].flatMap((name): readonly Difference[] => {
    const [before, after] = [JSON.stringify(old[name]), JSON.stringify(now[name])]
    if (before === after) return []
    if (before === undefined) return [{ mark: '+', name, text: ` = ${after}` }]
    if (after === undefined) return [{ mark: '−', name, text: ` (was ${before})` }]
    return [{ mark: '~', name, text: `: ${before} → ${after}` }]
  })
}

function byNode(
  list: readonly Readonly<Record<string, unknown>>[] = [],
  modification: string,
): ReadonlyMap<string, readonly string[]> {
  const nodes = new Map<string, string[]>()
  for (const instance of list) {
    if (instance.modification !== modification) continue
    const node = String(instance.node_id)
    nodes.set(node, [...(nodes.get(node) ?? []), String(instance.id)])
  }
  return nodes
}

type Step = { readonly action: string; readonly entity_type: string; readonly entity_id: readonly string[] }
const stepOf = (step: Readonly<Record<string, unknown>>) => step as Step
