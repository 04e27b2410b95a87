import { DslError, type Modification, type ModificationRequest, modifyNodeInstances } from '@tutti/dsl'
import type { Database } from '@tutti/storage'
import { type InstanceRecord, randomId, readInstanceRecords } from '../node-instances/index.ts'
import { currentCount } from './counts.ts'
import { findStartedModification, readScalable, readTopology } from './queries.ts'
import { plannedInstance } from './start.ts'

/**
 * Whether the node instances of a deployment, their relationships and the stored numbers of nodes and scaling groups
 * agree with each other: what is wrong, one sentence for each; none where all is well. Says nothing about numbers while a
 * modification is started, which is between two of them.
 */
export async function whatDisagrees(
  db: Database,
  tenantId: number,
  deploymentId: string,
): Promise<readonly string[]> {
  const instances = await readInstanceRecords(db, tenantId, deploymentId)
  const nodes = await readTopology(db, tenantId, deploymentId)
  const scalable = await readScalable(db, tenantId, deploymentId)
  const problems = wrongEdges(instances, new Set(nodes.map(({ id }) => id)))
  if ((await findStartedModification(db, tenantId, deploymentId)) !== undefined) return problems
  const names = [...scalable.nodes.keys(), ...Object.keys(scalable.scalingGroups)]
  for (const name of names) {
    const current = currentCount(scalable, name)
    const plannedNumber =
      scalable.nodes.get(name)?.planned ?? scalable.scalingGroups[name]?.properties?.planned_instances
    if (plannedNumber !== current)
      problems.push(`${name} has ${current} instances, but ${plannedNumber} are planned`)
  }
  const wanted = Object.fromEntries(
    names.map((name) => [name, { instances: currentCount(scalable, name) ?? 0 }]),
  )
  return [
    ...problems,
    ...wrongInstances({
      nodes,
      instances: {},
      previousInstances: instances.map(plannedInstance),
      scalingGroups: scalable.scalingGroups,
      groups: scalable.groups,
      modified: wanted,
      randomId,
    }),
  ]
}

/** Against the instances that the numbers would make of what is there. */
function wrongInstances(request: ModificationRequest): readonly string[] {
  const problems: string[] = []
  const lists = planned(request)
  if (lists instanceof DslError) return [lists.message]
  const told = {
    added: 'is missing',
    removed: 'is one too many',
    extended: 'lacks relationships',
    reduced: 'has relationships too many',
  } as const
  for (const list of Object.values(lists)) {
    for (const { modification, node_id, id } of list) {
      if (modification === undefined) continue
      problems.push(`${modification === 'added' ? `an instance of ${node_id}` : id} ${told[modification]}`)
    }
  }
  return problems
}

function planned(request: ModificationRequest): Modification | DslError {
  try {
    return modifyNodeInstances(request)
  } catch (error) {
    if (error instanceof DslError) return error
    throw error
  }
}

function wrongEdges(instances: readonly InstanceRecord[], nodes: ReadonlySet<string>): string[] {
  const byId = new Map(instances.map((instance) => [instance.id, instance]))
  const indexes = new Set<string>()
  return instances.flatMap(({ id, node_id, index, relationships }) => {
    const place = `${node_id} ${index}`
    const isTaken = indexes.has(place)
    indexes.add(place)
    return [
      ...(nodes.has(node_id) ? [] : [`${id} is of node ${node_id}, which is not there`]),
      ...(isTaken ? [`${id} has the index ${index}, as another instance of ${node_id} has`] : []),
      ...relationships.flatMap(({ target_id, target_name }) =>
        byId.get(target_id)?.node_id === target_name
          ? []
          : [`${id} has a relationship to ${target_id}, which is no instance of ${target_name}`],
      ),
    ]
  })
}
