/**
 * Nodes of deployments: what the blueprint declares, with counts of instances (docs/reference/nodes-and-instances.md,
 * "Nodes").
 */

export { changeNode, createNodes, removeNode } from './change.ts'
export { insertNodes, type NodeBatch, type NodeRow, nodeBatch, nodeResource } from './queries.ts'
export { listNodes } from './service.ts'
