import { nodeInstanceFields, parseListQuery } from '@tutti/api'
import { inTransaction } from '@tutti/domain'
import {
  changeNodeInstance,
  createNodeInstances,
  getNodeInstance,
  listNodeInstances,
  removeNodeInstance,
} from '@tutti/domain/node-instances'
import type { Handlers } from '../../request.ts'

/** docs/reference/nodes-and-instances.md, "Node instances" */
export const nodeInstanceHandlers = {
  'nodeInstances.list': (request) => listNodeInstances(request, request.list),

  'nodeInstances.get': (request) =>
    getNodeInstance(request, request.params.node_instance_id, {
      include: request.include,
      evaluates: request.options._evaluate_functions ?? false,
    }),

  async 'nodeInstances.create'(request) {
    const ids = await inTransaction(request, (actor, transaction) =>
      createNodeInstances(actor, transaction, request.body),
    )
    if (ids.length === 0) return undefined
    const list = parseListQuery({ id: [...ids], _get_all_results: 'true' }, nodeInstanceFields)
    return listNodeInstances(request, list)
  },

  async 'nodeInstances.update'(request) {
    const { node_instance_id: id } = request.params
    await inTransaction(request, (actor, transaction) =>
      changeNodeInstance(actor, transaction, id, request.body, request.options.force ?? false),
    )
    return getNodeInstance(request, id, { include: request.include })
  },

  'nodeInstances.delete': (request) => removeNodeInstance(request, request.params.node_instance_id),
} satisfies Partial<Handlers>
