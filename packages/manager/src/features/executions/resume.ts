import type { Database } from '@tutti/storage'
import { loadOperations, resetOperations } from './queries.ts'

/** Makes a failed or cancelled execution's graph ready to go on (spec/workflows.md 5.5). */
export async function resetForResume(
  transaction: Database,
  key: { readonly tenantId: number; readonly executionId: string },
  isForced: boolean,
): Promise<void> {
  void transaction
  void key
  void isForced
  void resetOperations
  void loadOperations
  throw new Error('waits for the engine')
}
