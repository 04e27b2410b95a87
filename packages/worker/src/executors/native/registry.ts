import type { NativeOperation } from './native-operation.ts'
import { getNodeInstanceState } from './node-instance-state.ts'

/** By implementation (`implementationOf`): `PLUGIN.FUNCTION`, or the type of a task that is no operation of a blueprint. */
export const nativeOperations: ReadonlyMap<string, NativeOperation> = new Map([
  ['GetNodeInstanceStateTask', getNodeInstanceState],
])

export const isNative = (implementation: string): boolean => nativeOperations.has(implementation)
