import type { NodeInstance, Status, Token, Version } from '@tutti/api'
import type { Call } from '../call.ts'
import { iterate, type ListOptions, list } from '../pages.ts'

export const eventMethods = (call: Call) => ({
  list: (options?: ListOptions<'events.list'>) => list(call, 'events.list', options),
  iterate: (options?: ListOptions<'events.list'>) => iterate(call, 'events.list', options),
  /** Deletes the events, and with `includeLogs` the logs, of a deployment; says how many. */
  delete: async (deploymentId: string, includeLogs = true): Promise<number> => {
    const types = includeLogs ? ['svc_event', 'svc_log'] : ['svc_event']
    const { items } = await call('events.delete', { query: { deployment_id: deploymentId, type: types } })
    return items[0] ?? 0
  },
})

export const nodeMethods = (call: Call) => ({
  list: (options?: ListOptions<'nodes.list'>) => list(call, 'nodes.list', options),
  iterate: (options?: ListOptions<'nodes.list'>) => iterate(call, 'nodes.list', options),
})

export const nodeInstanceMethods = (call: Call) => ({
  list: (options?: ListOptions<'nodeInstances.list'>) => list(call, 'nodeInstances.list', options),
  iterate: (options?: ListOptions<'nodeInstances.list'>) => iterate(call, 'nodeInstances.list', options),
  get: (id: string): Promise<NodeInstance> => call('nodeInstances.get', { params: { node_instance_id: id } }),
})

export const managerMethods = (call: Call) => ({
  version: (): Promise<Version> => call('version.get'),
  status: (): Promise<Status> => call('status.get'),
})

export const tokenMethods = (call: Call) => ({
  create: (
    given: { readonly description?: string; readonly expiration_date?: string } = {},
  ): Promise<Token> => call('tokens.create', { body: given }),
})
