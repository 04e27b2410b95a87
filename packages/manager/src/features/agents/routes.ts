import { inTransaction } from '@tutti/domain'
import { changeAgent, createAgent, getAgent, listAgents, replaceCertificates } from '@tutti/domain/agents'
import type { Handlers } from '../../request.ts'

/** docs/reference/agents.md, "Records" */
export const agentHandlers = {
  'agents.list': (request) => listAgents(request, request.list, request.options._get_data ?? false),

  'agents.get': (request) => getAgent(request, request.params.name, request.include),

  async 'agents.create'(request) {
    await inTransaction(request, (actor, transaction) =>
      createAgent(actor, transaction, request.params.name, request.body),
    )
    return getAgent(request, request.params.name, request.include)
  },

  async 'agents.update'(request) {
    await inTransaction(request, (actor, transaction) =>
      changeAgent(actor, transaction, request.params.name, request.body),
    )
    return getAgent(request, request.params.name, request.include)
  },

  async 'agents.replaceCertificates'(request) {
    return { number_of_updated_agents: await replaceCertificates(request, request.body) }
  },
} satisfies Partial<Handlers>
