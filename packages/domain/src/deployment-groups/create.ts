import { randomUUID } from 'node:crypto'
import { ApiError, checkDisplayName, type RouteBody } from '@tutti/api'
import { deploymentTable, holdGlobals, type Transaction } from '@tutti/storage'
import { type Actor, requirePermission, tenantOf } from '../actor.ts'
import { requireBlueprint } from '../blueprints/index.ts'
import { createDeployments } from '../deployments/index.ts'
import { insertExecutionGroup } from '../executions/index.ts'
import { joinGroup } from '../group-members/index.ts'
import { holdCaller } from '../owned.ts'
import { defaultIdTemplate, filledIn, newDeploymentIds } from './new-ids.ts'
import { idTemplateOf, lockGroup, takenDeploymentIds, updateGroup } from './queries.ts'

/** How many of the deployments that a group creates are made at once (docs/reference/groups.md, "New deployments"). */
export const creationConcurrency = 10

type NewDeployments = NonNullable<RouteBody<'deploymentGroups.put'>['new_deployments']>

/**
 * Creates deployments of the group's blueprint in the group, as one execution group. All of them are there when the
 * transaction is, with their executions, or none.
 */
export async function createInGroup(
  actor: Actor,
  transaction: Transaction,
  groupId: string,
  given: NewDeployments,
): Promise<void> {
  if (given.length === 0) return
  requirePermission(actor, 'deployment_create')
  const tenantId = tenantOf(actor).id
  const { caller } = actor
  const group = await lockGroup(transaction, tenantId, groupId)
  if (group.default_blueprint_id === null) {
    throw new ApiError(
      'conflict_error',
      `Cannot create deployments: group ${groupId} has no default blueprint set`,
      { hint: 'Set blueprint_id of the group first' },
    )
  }
  const blueprint = await requireBlueprint(actor, transaction, group.default_blueprint_id)
  const template = (await idTemplateOf(transaction, blueprint)) ?? defaultIdTemplate
  await holdCaller(actor, transaction)
  if (group.visibility !== 'global') await holdGlobals(transaction, deploymentTable)
  const { made, counter } = await newDeploymentIds(
    given.map(({ id, site_name }) => ({ template: id ?? template, siteName: site_name ?? undefined })),
    {
      groupId,
      blueprintId: blueprint.id,
      counter: group.creation_counter,
      findTaken: (candidates) => takenDeploymentIds(transaction, tenantId, candidates),
    },
  )
  await updateGroup(transaction, tenantId, groupId, { creation_counter: counter })
  const executionGroup = { id: randomUUID(), concurrency: creationConcurrency }
  await insertExecutionGroup(transaction, {
    ...executionGroup,
    tenantId,
    deploymentGroupId: groupId,
    workflowId: 'create_deployment_environment',
    visibility: group.visibility,
    createdBy: caller.username,
  })
  await createDeployments(
    actor,
    transaction,
    { blueprintId: blueprint.id, visibility: group.visibility, executionGroup, createdBy: caller.username },
    made.map(({ id, placeholders }, index) => {
      const { display_name, inputs, labels, site_name } = given[index] ?? {}
      return {
        id,
        displayName:
          display_name == null
            ? undefined
            : checkDisplayName(filledIn('display name', display_name, placeholders)),
        inputs: { ...group.default_inputs, ...inputs },
        labels: labels ?? [],
        siteName: site_name ?? undefined,
      }
    }),
  )
  await joinGroup(
    transaction,
    tenantId,
    groupId,
    made.map(({ id }) => id),
    caller.username,
  )
}
