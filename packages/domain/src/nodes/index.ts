/**
 * Nodes of deployments: what the blueprint declares, with counts of instances (docs/reference/nodes-and-instances.md,
 * "Nodes").
 */

export { changeNode, createNodes, removeNode } from './change.ts'
export {
  deleteNode,
  insertNodes,
  type NodeBatch,
  type NodeCounts,
  type NodeRow,
  nodeBatch,
  nodeResource,
  nodeRow,
  updateNode,
} from './queries.ts'
export { listNodes } from './service.ts'
