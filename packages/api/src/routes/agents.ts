import { Type } from 'typebox'
import { Agent, agentFields } from '../shapes/agent.ts'
import { ListOf, Nullable, WithData } from '../shapes/common.ts'
import { route } from './route.ts'

const text = Type.Optional(Nullable(Type.String()))

/** spec/rest-facts-b.md 8. */
export const agentRoutes = {
  'agents.list': route({
    method: 'GET',
    path: '/agents',
    since: 'v3.1',
    permission: 'agent_list',
    allTenants: true,
    summary: 'List agents',
    list: agentFields,
    query: WithData,
    response: ListOf(Agent),
    status: 200,
  }),
  'agents.get': route({
    method: 'GET',
    path: '/agents/:name',
    since: 'v3.1',
    permission: 'agent_get',
    summary: 'Get an agent',
    response: Agent,
    status: 200,
  }),
  'agents.create': route({
    method: 'PUT',
    path: '/agents/:name',
    since: 'v3.1',
    permission: 'agent_create',
    summary: 'Record the agent of a node instance; one that is recorded stays as it is',
    body: Type.Object({
      node_instance_id: Type.String(),
      state: Type.String(),
      create_rabbitmq_user: Type.Boolean(),
      ip: text,
      install_method: text,
      system: text,
      version: text,
      rabbitmq_username: text,
      rabbitmq_password: text,
      rabbitmq_exchange: text,
      visibility: text,
      created_at: text,
      created_by: text,
    }),
    response: Agent,
    status: 200,
  }),
  'agents.update': route({
    method: 'PATCH',
    path: '/agents/:name',
    since: 'v3.1',
    permission: 'agent_update',
    summary: 'Set the state, the system or the version of an agent',
    body: Type.Object({ state: text, system: text, version: text }),
    response: Agent,
    status: 200,
  }),
} as const
