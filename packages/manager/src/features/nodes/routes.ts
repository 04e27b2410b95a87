import { nodeFields, parseListQuery } from '@tutti/api'
import { inTransaction } from '@tutti/domain'
import { changeNode, createNodes, listNodes, removeNode } from '@tutti/domain/nodes'
import type { Handlers } from '../../request.ts'

/** docs/reference/nodes-and-instances.md, "Nodes" */
export const nodeHandlers = {
  async 'nodes.list'(request) {
    const { _evaluate_functions: evaluates, _instance_context: instanceId } = request.options
    const evaluation = evaluates === true ? { instanceId } : undefined
    return listNodes(request, request.list, evaluation)
  },

  async 'nodes.create'(request) {
    const { deployment_id: deploymentId, nodes } = request.body
    await inTransaction(request, (actor, transaction) => createNodes(actor, transaction, request.body))
    if (nodes.length === 0) return undefined
    const query = { deployment_id: deploymentId, id: nodes.map(({ id }) => id), _get_all_results: 'true' }
    const list = parseListQuery(query, nodeFields)
    return listNodes(request, list, undefined)
  },

  'nodes.update': (request) =>
    inTransaction(request, (actor, transaction) =>
      changeNode(actor, transaction, request.params, request.body),
    ),
  'nodes.delete': (request) =>
    inTransaction(request, (actor, transaction) => removeNode(actor, transaction, request.params)),
} satisfies Partial<Handlers>
