import { logicError } from '../diagnostic.ts'
import { planInterfaces, planOperations } from '../elements/plan-operation.ts'
import { checkLifecycleOperation, isContainedIn } from '../elements/relationship.ts'
import type { NodeTemplate, Relationship } from '../elements/template.ts'
import type { JsonObject } from '../json.ts'
import { attempt, type Build, type Definitions } from '../language/build.ts'
import { nodePlace, toJson } from '../yaml/node.ts'
import type { PlanNode, PlanOperation, PlanPlugin, PlanRelationship } from './plan.ts'

type Templates = ReadonlyMap<string, NodeTemplate>
type MutableNode = { -readonly [key in keyof PlanNode]: PlanNode[key] }

/** `nodes` of the plan (docs/reference/plan.md, "Nodes"). */
export function planNodes(
  build: Build,
  templates: Templates,
  plugins: Definitions<PlanPlugin>,
): readonly PlanNode[] {
  attempt(build, () => checkCircles(templates))
  const hosts = hostsOf(templates)
  const nodes: MutableNode[] = []
  for (const template of templates.values()) {
    attempt(build, () => {
      nodes.push(planNode(build, template, templates, hosts, plugins))
    })
  }
  addPlugins(nodes, templates, plugins)
  return nodes
}

function planNode(
  build: Build,
  template: NodeTemplate,
  templates: Templates,
  hosts: ReadonlyMap<string, string>,
  plugins: Definitions<PlanPlugin>,
): MutableNode {
  const { name } = template
  const host = hosts.get(name)
  const operations = planOperations(
    { build, plugins, notFoundCode: 10, label: `node '${name}'` },
    template.interfaces,
  )
  if (host === undefined) refuseHostAgent(operations, `the node '${name}'`, template)
  return {
    id: name,
    name,
    type: template.type.name,
    type_hierarchy: template.type.hierarchy,
    properties: toJson(template.properties, build.conversion) as JsonObject,
    instances: template.deploy === null ? {} : { deploy: template.deploy },
    capabilities: { scalable: { properties: template.scalable } },
    interfaces: planInterfaces(build, template.interfaces),
    operations,
    relationships: template.relationships.map((relationship) => {
      checkLifecycleOperation(template, relationship, templates)
      return planRelationship(build, template, relationship, hosts, plugins)
    }),
    ...(host === undefined ? {} : { host_id: host }),
    plugins: [],
    deployment_plugins_to_install: [],
  }
}

function planRelationship(
  build: Build,
  node: NodeTemplate,
  relationship: Relationship,
  hosts: ReadonlyMap<string, string>,
  plugins: Definitions<PlanPlugin>,
): PlanRelationship {
  const owner = {
    build,
    plugins,
    notFoundCode: 19,
    label: `relationship of node '${node.name}' to '${relationship.target}'`,
  } as const
  const source = planOperations(owner, relationship.sourceInterfaces)
  const target = planOperations(owner, relationship.targetInterfaces)
  if (!hosts.has(node.name)) refuseHostAgent(source, `the node '${node.name}'`, relationship)
  if (!hosts.has(relationship.target))
    refuseHostAgent(target, `the node '${relationship.target}'`, relationship)
  return {
    type: relationship.type.name,
    target_id: relationship.target,
    type_hierarchy: relationship.type.hierarchy,
    properties: toJson(relationship.properties, build.conversion) as JsonObject,
    source_interfaces: planInterfaces(build, relationship.sourceInterfaces),
    target_interfaces: planInterfaces(build, relationship.targetInterfaces),
    source_operations: source,
    target_operations: target,
  }
}

function refuseHostAgent(
  operations: { readonly [name: string]: PlanOperation },
  where: string,
  at: NodeTemplate | Relationship,
): void {
  for (const [name, operation] of Object.entries(operations)) {
    if (operation.executor !== 'host_agent') continue
    throw logicError(24, `The operation '${name}' runs on a host agent, but ${where} has no host.`, {
      place: nodePlace(at.written),
      path: 'path' in at ? at.path : `node_templates.${at.name}`,
      expected: 'executor: central_deployment_agent, or containment in a host',
    })
  }
}

/**
 * A cycle of relationships, of whatever type, is an error (docs/reference/language/nodes.md, "Relationships").
 * Iterative: chains may be long.
 */
function checkCircles(templates: Templates): void {
  const done = new Set<string>()
  for (const start of templates.keys()) {
    const path: string[] = []
    const onPath = new Set<string>()
    const work: { readonly name: string; readonly leave: boolean }[] = [{ name: start, leave: false }]
    for (let step = work.pop(); step !== undefined; step = work.pop()) {
      const { name } = step
      if (step.leave) {
        path.pop()
        onPath.delete(name)
        done.add(name)
        continue
      }
      if (onPath.has(name)) {
        const circle = [...path.slice(path.indexOf(name)), name]
        throw logicError(100, `Circular relationships between nodes: ${circle.join(' --> ')}.`, {
          path: `node_templates.${name}.relationships`,
        })
      }
      if (done.has(name)) continue
      path.push(name)
      onPath.add(name)
      work.push({ name, leave: true })
      for (const { target } of templates.get(name)?.relationships ?? []) {
        work.push({ name: target, leave: false })
      }
    }
  }
}

/** Node name to the name of its host; nodes without one are absent (docs/reference/language/nodes.md, "Hosts"). */
function hostsOf(templates: Templates): ReadonlyMap<string, string> {
  const hosts = new Map<string, string | null>()
  for (const template of templates.values()) {
    // Everything on the way up has the host that is found at its end.
    const way: string[] = []
    let host: string | null = null
    for (let at: NodeTemplate | undefined = template; at !== undefined; at = containerOf(at, templates)) {
      const known = hosts.get(at.name)
      if (known !== undefined) host = known
      else if (at.isHost) host = at.name
      if (known === undefined) {
        // Set at once, so that a circle (reported by itself) ends here.
        hosts.set(at.name, null)
        way.push(at.name)
      }
      if (known !== undefined || at.isHost) break
    }
    for (const name of way) hosts.set(name, host)
  }
  return new Map([...hosts].flatMap(([name, host]) => (host === null ? [] : [[name, host] as const])))
}

function containerOf(template: NodeTemplate, templates: Templates): NodeTemplate | undefined {
  const container = template.relationships.find(({ type }) => isContainedIn(type.hierarchy))
  return container === undefined ? undefined : templates.get(container.target)
}

/** The three plugin lists of every node (docs/reference/plan.md, "Nodes"). */
function addPlugins(
  nodes: readonly MutableNode[],
  templates: Templates,
  plugins: Definitions<PlanPlugin>,
): void {
  const used = new Map<string, Set<PlanPlugin>>(nodes.map(({ name }) => [name, new Set()]))
  const asRun = new Map<string, PlanPlugin>()
  /** Operations are shared by the nodes of a type, and so is the list of their plugins. */
  const ofOperations = new Map<object, readonly PlanPlugin[]>()
  const pluginsOf = (operations: { readonly [name: string]: PlanOperation }): readonly PlanPlugin[] => {
    const list = new Set<PlanPlugin>()
    for (const { plugin, executor } of Object.values(operations)) {
      if (plugin === '' || executor === null) continue
      const key = `${plugin}\n${executor}`
      const run = asRun.get(key) ?? { ...plugins.get(plugin), executor }
      asRun.set(key, run)
      list.add(run)
    }
    return [...list]
  }
  const use = (node: string, operations: { readonly [name: string]: PlanOperation }): void => {
    const list = ofOperations.get(operations) ?? pluginsOf(operations)
    ofOperations.set(operations, list)
    for (const plugin of list) used.get(node)?.add(plugin)
  }
  for (const node of nodes) {
    use(node.name, node.operations)
    for (const relationship of node.relationships) {
      use(node.name, relationship.source_operations)
      use(relationship.target_id, relationship.target_operations)
    }
  }
  const onHosts = new Map<string, Map<string, PlanPlugin>>()
  for (const node of nodes) {
    node.plugins = [...(used.get(node.name) ?? [])]
    node.deployment_plugins_to_install = node.plugins.filter((p) => p.executor === 'central_deployment_agent')
    if (node.host_id === undefined) continue
    const installed = onHosts.get(node.host_id) ?? new Map<string, PlanPlugin>()
    for (const plugin of node.plugins)
      if (plugin.executor === 'host_agent') installed.set(plugin.name, plugin)
    onHosts.set(node.host_id, installed)
  }
  for (const node of nodes) {
    if (templates.get(node.name)?.isHost === true) {
      node.plugins_to_install = [...(onHosts.get(node.name)?.values() ?? [])]
    }
  }
}
