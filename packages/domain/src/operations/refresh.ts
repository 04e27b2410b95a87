import { ApiError, badParameter, notFound, type RouteBody } from '@tutti/api'
import type { Transaction } from '@tutti/storage'
import { deploymentTable } from '@tutti/storage'
import type { Actor } from '../actor.ts'
import { asObject, objectAt } from '../json-object.ts'
import { lockOwned } from '../owned.ts'
import { readNodeOperations, readUnfinished, setOperationParameters } from './queries.ts'

type Refresh = RouteBody<'operations.act'>

const sides = { source_operations: 'source', target_operations: 'target' } as const

/**
 * Gives operations that are stored and not done the inputs that their node has now: an update may have changed them
 * while an execution waits to be resumed (docs/reference/operations-resource.md, "Refreshing inputs").
 *
 * @throws unknown_action, bad_parameters_error, not_found_error
 */
export async function refreshStored(actor: Actor, transaction: Transaction, body: Refresh): Promise<void> {
  if (body.action !== 'update-stored') {
    throw new ApiError('unknown_action', `Unknown action: ${body.action}. The action is update-stored`)
  }
  const { deployment_id: deploymentId, node_id: nodeId, operation: name } = body
  const { tenant_id: tenantId } = await lockOwned(actor, transaction, deploymentTable, deploymentId)
  const node = await readNodeOperations(transaction, tenantId, deploymentId, nodeId)
  if (node === undefined) throw notFound('Node', nodeId, { deployment_id: deploymentId })
  const { operations, side, targetId } = declaredBy(node, body)
  const declared = objectAt(operations, name)
  const inputs = objectAt(declared, 'inputs')
  for (const { id, parameters } of await readUnfinished(transaction, tenantId, deploymentId)) {
    const kwargs = objectAt(objectAt(parameters, 'task_kwargs'), 'kwargs')
    const context = objectAt(kwargs, '__cloudify_context')
    const isMeant =
      context.node_name === nodeId &&
      objectAt(context, 'operation').name === name &&
      (objectAt(context, 'operation').relationship ?? null) === side &&
      (targetId === null || objectAt(context, 'related').node_name === targetId)
    if (!isMeant) continue
    const fresh = { ...context, has_intrinsic_functions: declared.has_intrinsic_functions ?? false }
    await setOperationParameters(transaction, tenantId, id, {
      ...parameters,
      task_kwargs: {
        ...objectAt(parameters, 'task_kwargs'),
        kwargs: { ...inputs, __cloudify_context: fresh },
      },
    })
  }
}

function declaredBy(
  node: { readonly operations: unknown; readonly relationships: unknown },
  { key, rel_index: index }: Refresh,
) {
  if (key == null || key === 'operations') {
    return { operations: asObject(node.operations), side: null, targetId: null }
  }
  if (!Object.hasOwn(sides, key)) throw badParameter(`Invalid key: ${key}`)
  const relationship = asObject(
    Array.isArray(node.relationships) ? node.relationships[index ?? 0] : undefined,
  )
  if (relationship.target_id === undefined) throw badParameter(`The node has no relationship ${index ?? 0}`)
  return {
    operations: objectAt(relationship, key),
    side: sides[key as keyof typeof sides],
    targetId: String(relationship.target_id),
  }
}
