import { listAnswer } from '../../list-answer.ts'
import type { Handlers } from '../../request.ts'
import { listNodes } from './service.ts'

/** spec/rest-spec-b.md 4.5, spec/rest-facts-b.md 9 */
export const nodeHandlers = {
  async 'nodes.list'(request) {
    const { _evaluate_functions: evaluates, _instance_context: instanceId } = request.options
    const evaluation = evaluates === true ? { instanceId } : undefined
    return listAnswer(request.list, await listNodes(request, request.list, evaluation))
  },
} satisfies Partial<Handlers>
