import { listAnswer } from '../../list-answer.ts'
import type { Handlers } from '../../request.ts'
import { changeAgent, getAgent, listAgents, recordAgent, replaceCertificates } from './service.ts'

/** spec/rest-facts-b.md 8 */
export const agentHandlers = {
  'agents.list': async (request) =>
    listAnswer(request.list, await listAgents(request, request.list, request.options._get_data ?? false)),

  'agents.get': (request) => getAgent(request, request.params.name, request.include),

  async 'agents.create'(request) {
    await recordAgent(request, request.params.name, request.body)
    return getAgent(request, request.params.name, request.include)
  },

  async 'agents.update'(request) {
    await changeAgent(request, request.params.name, request.body)
    return getAgent(request, request.params.name, request.include)
  },

  async 'agents.replaceCertificates'(request) {
    return { number_of_updated_agents: await replaceCertificates(request, request.body) }
  },
} satisfies Partial<Handlers>
