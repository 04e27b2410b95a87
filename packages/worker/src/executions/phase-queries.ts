import type { PhaseProgress } from '@tutti/engine'
import { type Lease, LeaseLost, type Transaction, toJson } from '@tutti/storage'

/** Stores how far the execution has come and, in the same statement, proves that the lease is held. */
export async function setPhase(transaction: Transaction, lease: Lease, phase: PhaseProgress): Promise<void> {
  const row = await transaction
    .updateTable('executions')
    .set({ phase: toJson(phase) })
    .where('tenant_id', '=', lease.tenantId)
    .where('id', '=', lease.executionId)
    .where('lease_fence', '=', lease.fence)
    .returning('id')
    .executeTakeFirst()
  if (row === undefined) throw new LeaseLost(lease)
}
