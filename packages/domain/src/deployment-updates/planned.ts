import { parseShared, partsOf } from '@tutti/api'
import type { DeploymentPlan, ModifiedInstance, PlanNode, UpdateChanges, UpdateStep } from '@tutti/dsl'
import type { Database } from '@tutti/storage'
import { readPlanned, type UpdateRow } from './queries.ts'

/** What a prepared update is to write. */
export type PlannedUpdate = {
  readonly plan: DeploymentPlan
  readonly steps: readonly UpdateStep[]
  readonly nodes: UpdateChanges['nodes']
  readonly nodeInstances: UpdateChanges['nodeInstances']
}

export async function readPlannedUpdate(db: Database, { tenantId, id }: UpdateRow): Promise<PlannedUpdate> {
  const { text, parts, steps, nodes, nodeInstances } = await readPlanned(db, tenantId, id)
  return {
    plan: parseShared({ text, parts: partsOf(parts ?? '') }) as DeploymentPlan,
    steps: steps as PlannedUpdate['steps'],
    nodes: nodes as PlannedUpdate['nodes'],
    nodeInstances: nodeInstances as PlannedUpdate['nodeInstances'],
  }
}

export const marked = (list: readonly ModifiedInstance[], modification: ModifiedInstance['modification']) =>
  list.filter((instance) => instance.modification === modification)

/** A relationship as nodes are stored with it. */
export const storedRelationship = ({
  type,
  type_hierarchy,
  target_id,
  properties,
  source_operations,
  target_operations,
}: PlanNode['relationships'][number]) => ({
  type,
  type_hierarchy,
  target_id,
  properties,
  source_operations,
  target_operations,
})
