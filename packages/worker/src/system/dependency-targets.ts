import { scopeOf } from '@tutti/domain'
import type { EvaluatedTargets } from '@tutti/domain/dependencies'
import { evaluatorWithoutSecrets } from '@tutti/domain/evaluation'
import { targetsNow } from '@tutti/domain/executions'
import type { ExecutionRow } from '@tutti/storage'
import type { WorkerServices } from '../services.ts'

/** What the functions among the deployment's dependencies name, as whoever started the execution sees it. */
export const targetsOf = (
  { db }: WorkerServices,
  execution: ExecutionRow,
): Promise<EvaluatedTargets | undefined> =>
  targetsNow(
    evaluatorWithoutSecrets(db),
    () => scopeOf(db, execution.tenant_id, execution.created_by),
    execution,
  )
