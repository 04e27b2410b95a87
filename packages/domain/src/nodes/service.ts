import type { ListAnswer, ListQuery } from '@tutti/api'
import type { EvaluationStorage } from '@tutti/dsl'
import { listPage, type Scope } from '@tutti/storage'
import type { Actor } from '../actor.ts'
import { evaluatePayload, openEvaluation, readingEvaluator } from '../evaluation/index.ts'
import { listScope } from '../list-scope.ts'
import { nodeResource } from './queries.ts'

export type NodeEvaluation = {
  /** Instance in whose eyes the properties are; else the first one of each node. */
  readonly instanceId: string | undefined
}

/**
 * `evaluation`: with the functions in the nodes' properties evaluated (docs/reference/nodes-and-instances.md, "Nodes").
 */
export async function listNodes(
  actor: Actor,
  list: ListQuery,
  evaluation: NodeEvaluation | undefined,
): Promise<ListAnswer> {
  const { db } = actor.services
  const scope = await listScope(actor, list, 'node_list')
  if (evaluation === undefined) return listPage(db, nodeResource, list, scope)
  const include = list.include && [...new Set([...list.include, 'id', 'deployment_id', 'tenant_name'])]
  const evaluate = await openNodes(actor, scope, list, evaluation)
  return listPage(db, nodeResource, { ...list, include }, scope)
    .mapBatches(evaluate)
    .map((item) => only(item, list.include))
}

type Item = Readonly<Record<string, unknown>>

async function openNodes(
  actor: Actor,
  scope: Scope,
  list: ListQuery,
  { instanceId }: NodeEvaluation,
): Promise<(items: readonly Item[]) => Promise<Item[]>> {
  const evaluator = readingEvaluator(actor)
  const storages = new Map<string, EvaluationStorage>()
  const open = async (id: string, tenantName?: string) => {
    const key = `${tenantName ?? ''}/${id}`
    const storage = storages.get(key) ?? (await openEvaluation(evaluator, scope, id, tenantName))
    storages.set(key, storage)
    return storage
  }
  // A deployment that is asked for by name and is not there is an error here, as evaluation has no scope then.
  for (const { field, values } of list.filters) {
    if (field === 'deployment_id') for (const id of values) await open(String(id))
  }
  return async (items) => {
    const evaluated: Item[] = []
    for (const item of items) {
      if (item.properties === undefined) {
        evaluated.push(item)
        continue
      }
      const storage = await open(String(item.deployment_id), String(item.tenant_name))
      const self = instanceId ?? (await storage.nodeInstancesOf(String(item.id)))[0]?.id
      const context = self === undefined ? {} : { self }
      evaluated.push({
        ...item,
        properties: await evaluatePayload(evaluator, item.properties, context, storage),
      })
    }
    return evaluated
  }
}

function only(item: Item, include: readonly string[] | undefined): Item {
  return include === undefined ? item : Object.fromEntries(include.map((name) => [name, item[name]]))
}
