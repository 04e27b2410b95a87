import { logicError } from '../diagnostic.ts'
import { attempt, type Build, section } from '../language/build.ts'
import type { PlanScalingGroup } from '../plan/plan.ts'
import { nodePlace } from '../yaml/node.ts'
import { isContainedIn } from './relationship.ts'
import type { NodeTemplate } from './template.ts'

type ScalingGroups = { readonly [name: string]: PlanScalingGroup }
type Templates = ReadonlyMap<string, NodeTemplate>

/**
 * Checks membership and takes out members that belong already through containment
 * (docs/reference/language/groups-and-policies.md, "Scaling groups").
 */
export function checkedScalingGroups(
  build: Build,
  groups: ScalingGroups,
  templates: Templates,
): ScalingGroups {
  const policies = section(build, 'policies')
  const at = { place: policies === undefined ? null : nodePlace(policies), path: 'policies' }
  const checked = attempt(build, () => {
    refuseCircles(groups, at)
    refuseSharedMembers(groups, at)
    const containers = containersOf(templates)
    const result: { [name: string]: PlanScalingGroup } = {}
    for (const [name, group] of Object.entries(groups)) {
      const owners = ownersOf(groups, name)
      refuseMixedContainment(name, owners, containers, at)
      result[name] = { ...group, members: withoutImplied(group.members, owners, containers) }
    }
    return result
  })
  return checked ?? {}
}

const MAX_NESTED_GROUPS = 200

type At = Parameters<typeof logicError>[2]

function refuseCircles(groups: ScalingGroups, at: At): void {
  const done = new Set<string>()
  const visit = (name: string, path: readonly string[]): void => {
    if (path.includes(name) || path.length > MAX_NESTED_GROUPS) {
      throw logicError(200, `Groups are members of each other: ${[...path, name].join(' --> ')}.`, at)
    }
    if (done.has(name)) return
    for (const member of groups[name]?.members ?? []) {
      if (Object.hasOwn(groups, member)) visit(member, [...path, name])
    }
    done.add(name)
  }
  for (const name of Object.keys(groups)) visit(name, [])
}

function refuseSharedMembers(groups: ScalingGroups, at: At): void {
  const groupOf = new Map<string, string>()
  for (const [name, { members }] of Object.entries(groups)) {
    for (const member of members) {
      const other = groupOf.get(member)
      if (other !== undefined) {
        throw logicError(201, `'${member}' is a member of two scaling groups, ${other} and ${name}.`, at)
      }
      groupOf.set(member, name)
    }
  }
}

type Containers = (node: string) => readonly string[]

/** The containers of a node, innermost first. */
function containersOf(templates: Templates): Containers {
  const direct = new Map<string, string>()
  for (const { name, relationships } of templates.values()) {
    const container = relationships.find(({ type }) => isContainedIn(type.hierarchy))
    if (container !== undefined) direct.set(name, container.target)
  }
  return (node) => {
    const chain = new Set<string>()
    for (let at = direct.get(node); at !== undefined && !chain.has(at); at = direct.get(at)) chain.add(at)
    return [...chain]
  }
}

/** Every node of a group, nested groups flattened → the direct member through which it belongs. */
function ownersOf(groups: ScalingGroups, name: string): ReadonlyMap<string, string> {
  const owners = new Map<string, string>()
  const add = (member: string, owner: string): void => {
    const group = Object.hasOwn(groups, member) ? groups[member] : undefined
    if (group === undefined) owners.set(member, owner)
    else for (const inner of group.members) add(inner, owner)
  }
  for (const member of groups[name]?.members ?? []) add(member, member)
  return owners
}

/**
 * Each node stands for itself, or is stood for by its outermost container that is a member too. Those
 * must all be uncontained, or all lie in one outermost container.
 */
function refuseMixedContainment(
  group: string,
  owners: ReadonlyMap<string, string>,
  containers: Containers,
  at: At,
): void {
  const roots = new Map<string | null, string>()
  for (const node of owners.keys()) {
    const chain = containers(node)
    const standIn = chain.findLast((container) => owners.has(container)) ?? node
    const root = containers(standIn).at(-1) ?? null
    roots.set(root, node)
  }
  if (roots.size <= 1) return
  throw logicError(
    202,
    `The members ${[...roots.values()].join(' and ')} of scaling group '${group}' are not contained in one node, nor are both uncontained.`,
    at,
  )
}

/** A node contained in another member belongs already; so does the nested group in which it sits. */
function withoutImplied(
  members: readonly string[],
  owners: ReadonlyMap<string, string>,
  containers: Containers,
): readonly string[] {
  const implied = new Set<string>()
  for (const [node, owner] of owners) {
    const inside = containers(node).some((container) => {
      const other = owners.get(container)
      return other !== undefined && other !== owner
    })
    if (inside) implied.add(owner)
  }
  return members.filter((member) => !implied.has(member))
}
