import { Type } from 'typebox'
import { Agent, agentFields } from '../shapes/agent.ts'
import { ListOf, Nullable, newVisibility, WithData } from '../shapes/common.ts'
import { route } from './route.ts'

/** In PEM form. */
const certificates = Type.Optional(Nullable(Type.String({ maxLength: 1_000_000 })))
const text = Type.Optional(Nullable(Type.String()))

/** docs/reference/agents.md, "Records". */
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
      ...newVisibility,
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
  'agents.replaceCertificates': route({
    method: 'PATCH',
    path: '/agents',
    since: 'v3.1',
    permission: 'agent_replace_certs',
    summary:
      'Give all agents the certificates of other authorities; refused while there are agents, which this release cannot reach',
    body: Type.Object({
      broker_ca_cert: certificates,
      manager_ca_cert: certificates,
      // Clients send a flag, or the certificates of old and new authorities in one text: either is understood.
      bundle: Type.Optional(Type.Unknown()),
    }),
    response: Type.Object({ number_of_updated_agents: Type.Integer() }),
    status: 200,
  }),
} as const
