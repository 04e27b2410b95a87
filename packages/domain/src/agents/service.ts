import {
  ApiError,
  agentStates,
  badParameter,
  checkIdentifier,
  emptyUpdate,
  installMethods,
  type ListQuery,
  notFound,
  parseBoolean,
  parseCreateVisibility,
  type RouteBody,
} from '@tutti/api'
import type { Transaction } from '@tutti/storage'
import { agentTable, findOwned, listPage, lockId } from '@tutti/storage'
import { type Actor, ownTenantScope, tenantOf } from '../actor.ts'
import { checkCertificates } from '../certificates.ts'
import { listScope } from '../list-scope.ts'
import { claimId, creationOf, getItem, lockOwned, visibleRow } from '../owned.ts'
import { agentResource, countAgents, hasInstance, insertAgent, updateAgent } from './queries.ts'

/** `withData`: also how to log in, which else is null (docs/reference/agents.md, "Records"). */
export async function listAgents(actor: Actor, list: ListQuery, withData: boolean) {
  const scope = await listScope(actor, list, 'agent_list')
  const agents = listPage(actor.services.db, agentResource, list, scope)
  return agents.map((item) => (withData ? opened(actor, item) : closed(item)))
}

/** With how to log in. @throws not_found_error */
export const getAgent = async (actor: Actor, name: string, include?: readonly string[]) =>
  opened(actor, await getItem(actor, agentResource, name, include))

type Item = Readonly<Record<string, unknown>>

function opened({ services }: Actor, item: Item): Item {
  if (item.rabbitmq_password == null) return item
  return { ...item, rabbitmq_password: services.keys.open(String(item.rabbitmq_password)) }
}

/** How to log in is not for everybody who looks through a list. */
function closed(item: Item): Item {
  const names = ['rabbitmq_username', 'rabbitmq_password'].filter((name) => name in item)
  return { ...item, ...Object.fromEntries(names.map((name) => [name, null])) }
}

/**
 * An agent that is recorded already stays as it is: a request may be sent again (docs/reference/agents.md, "Records").
 */
export async function createAgent(
  actor: Actor,
  transaction: Transaction,
  name: string,
  body: RouteBody<'agents.create'>,
): Promise<void> {
  checkIdentifier('name', name)
  checkState(body.state)
  const method = body.install_method ?? null
  if (method !== null && !installMethods.some((one) => one === method)) {
    throw badParameter(`Invalid agent install method: \`${method}\`.`)
  }
  const visibility = parseCreateVisibility(body)
  const { keys } = actor.services
  const tenantId = tenantOf(actor).id
  const creation = await creationOf(actor, transaction, body)
  await lockId(transaction, agentTable, name)
  const present = await findOwned(transaction, agentTable, tenantId, name)
  if (present !== undefined) {
    visibleRow(actor, agentTable.model, name, present)
    return
  }
  await claimId(actor, transaction, agentTable, name, visibility)
  if (!(await hasInstance(transaction, ownTenantScope(actor), body.node_instance_id))) {
    throw notFound('NodeInstance', body.node_instance_id)
  }
  await insertAgent(transaction, {
    tenant_id: tenantId,
    id: name,
    node_instance_id: body.node_instance_id,
    state: body.state,
    ip: body.ip ?? null,
    install_method: method,
    system: body.system ?? null,
    version: body.version ?? null,
    rabbitmq_username: body.rabbitmq_username ?? (body.create_rabbitmq_user ? `rabbitmq_user_${name}` : null),
    rabbitmq_password: body.rabbitmq_password == null ? null : keys.seal(body.rabbitmq_password),
    rabbitmq_exchange: body.rabbitmq_exchange ?? null,
    visibility,
    ...creation,
  })
}

/** Sets what runs there and its state. @throws bad_parameters_error, illegal_action_error, not_found_error */
export async function changeAgent(
  actor: Actor,
  transaction: Transaction,
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
  const agent = await lockOwned<{ node_instance_id: string }>(actor, transaction, agentTable, name, [
    'node_instance_id',
  ])
  if (!(await hasInstance(transaction, ownTenantScope(actor), agent.node_instance_id))) {
    throw notFound(agentTable.model, name)
  }
  await updateAgent(transaction, agent.tenant_id, name, change)
}

/**
 * Agents get certificates over the connection that this release does not have: installing them comes first. Where no
 * agent is recorded none is left behind with certificates that nobody has any more, and that is what is answered.
 *
 * @returns how many have new certificates
 * @throws bad_parameters_error, not_implemented
 */
export async function replaceCertificates(
  { services: { db } }: Actor,
  { bundle, broker_ca_cert: broker, manager_ca_cert: manager }: RouteBody<'agents.replaceCertificates'>,
): Promise<number> {
  if (broker == null && manager == null) {
    throw badParameter('Missing broker_ca_cert or manager_ca_cert in json request body')
  }
  if (broker != null) checkCertificates('broker_ca_cert', broker)
  if (manager != null) checkCertificates('manager_ca_cert', manager)
  if (typeof bundle === 'string') checkCertificates('bundle', bundle)
  else if (bundle != null) parseBoolean('bundle', bundle)
  const count = await countAgents(db)
  if (count === 0) return 0
  throw new ApiError(
    'not_implemented',
    `The certificates are valid, but none of the ${count} recorded agents got them: this release of Tutti cannot reach agents`,
    { hint: 'Replace the certificates on the hosts of the agents' },
  )
}

function checkState(state: string): void {
  if (!agentStates.some((one) => one === state)) throw badParameter(`Invalid agent state: \`${state}\`.`)
}
