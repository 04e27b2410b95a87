import { createCall, type Fetch } from './call.ts'
import type { Connection } from './connection.ts'
import { blueprintMethods } from './resources/blueprints.ts'
import { deploymentMethods } from './resources/deployments.ts'
import { executionMethods } from './resources/executions.ts'
import {
  eventMethods,
  managerMethods,
  nodeInstanceMethods,
  nodeMethods,
  tokenMethods,
} from './resources/lists.ts'

/**
 * A typed client of the API: `call` reaches every built endpoint by its name in the route table; the other
 * members are short ways to the common ones. It holds no connection and needs no closing.
 */
export function createClient(connection: Connection, fetch?: Fetch) {
  const call = createCall(connection, fetch)
  return {
    connection,
    call,
    blueprints: blueprintMethods(call),
    deployments: deploymentMethods(call),
    executions: executionMethods(call),
    events: eventMethods(call),
    nodes: nodeMethods(call),
    nodeInstances: nodeInstanceMethods(call),
    manager: managerMethods(call),
    tokens: tokenMethods(call),
  }
}

export type Client = ReturnType<typeof createClient>
