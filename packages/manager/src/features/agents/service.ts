import {
  agentStates,
  badParameter,
  checkGlobalAllowed,
  checkIdentifier,
  emptyUpdate,
  installMethods,
  type ListQuery,
  notFound,
  parseCreateVisibility,
  parseTimestamp,
  type RouteBody,
} from '@tutti/api'
import { findItem, listPage } from '@tutti/storage'
import { listScope } from '../../list-scope.ts'
import { isAdministrator, type Request, requirePermission, tenantOf, tenantScope } from '../../request.ts'
import { agentNameIs, agentResource, hasInstance, insertAgent, updateAgent, userExists } from './queries.ts'

export async function listAgents(request: Request, list: ListQuery, withData: boolean) {
  const scope = await listScope(request, list, 'agent_list')
  return listPage(request.services.db, agentResource({ withData }), list, scope)
}

export async function getAgent(request: Request, name: string, include?: readonly string[]) {
  const resource = agentResource({ withData: true })
  const item = await findItem(request.services.db, resource, agentNameIs(name), tenantScope(request), include)
  if (item === undefined) throw notFound('Agent', name)
  return item
}

/** An agent that is recorded already stays as it is: a request may be sent again (spec/rest-facts-b.md 8). */
export async function recordAgent(
  request: Request,
  name: string,
  body: RouteBody<'agents.create'>,
): Promise<void> {
  const { db } = request.services
  const tenantId = tenantOf(request).id
  checkIdentifier('name', name)
  checkState(body.state)
  const method = body.install_method ?? null
  if (method !== null && !installMethods.some((one) => one === method)) {
    throw badParameter(`Invalid agent install method: \`${method}\`.`)
  }
  const visibility = parseCreateVisibility(body.visibility)
  checkGlobalAllowed(visibility, request.caller.username, request.rights.holds('create_global_resource'))
  if (body.created_at != null) requirePermission(request, 'set_timestamp')
  if (body.created_by != null) {
    requirePermission(request, 'set_owner')
    if (!(await userExists(db, body.created_by)))
      throw badParameter(`User ${body.created_by} does not exist.`)
  }
  if (!(await hasInstance(db, tenantId, body.node_instance_id))) {
    throw notFound('NodeInstance', body.node_instance_id)
  }
  await insertAgent(db, tenantId, {
    id: name,
    node_instance_id: body.node_instance_id,
    state: body.state,
    ip: body.ip ?? null,
    install_method: method,
    system: body.system ?? null,
    version: body.version ?? null,
    rabbitmq_username: body.rabbitmq_username ?? (body.create_rabbitmq_user ? `rabbitmq_user_${name}` : null),
    rabbitmq_exchange: body.rabbitmq_exchange ?? null,
    visibility,
    created_by: body.created_by ?? request.caller.username,
    created_at: body.created_at == null ? undefined : parseTimestamp(body.created_at),
  })
}

export async function changeAgent(
  request: Request,
  name: string,
  { state, system, version }: RouteBody<'agents.update'>,
): Promise<void> {
  if (state == null && system == null && version == null) throw emptyUpdate()
  if (state != null) checkState(state)
  const change = {
    ...(state != null && { state }),
    ...(system != null && { system }),
    ...(version != null && { version }),
  }
  const viewer = {
    tenantId: tenantOf(request).id,
    username: request.caller.username,
    seesPrivate: isAdministrator(request),
  }
  if (!(await updateAgent(request.services.db, viewer, name, change))) throw notFound('Agent', name)
}

function checkState(state: string): void {
  if (!agentStates.some((one) => one === state)) throw badParameter(`Invalid agent state: \`${state}\`.`)
}
