import { ApiError, notFound } from '@tutti/api'
import type { ModifiedNumber } from '@tutti/dsl'
import type { ExecutionRow, Transaction } from '@tutti/storage'
import {
  currentCount,
  findModificationOf,
  findStartedModification,
  finishModification,
  readScalable,
  rollbackModification,
  startModification,
} from '../deployment-modifications/index.ts'
import { readInstanceRecords } from '../node-instances/index.ts'
import type { ActionRun, WorkflowAction } from './action.ts'
import { checkHints } from './scale-hints.ts'

/** As the workflow scale describes it. */
type ScaleInput = {
  readonly entity: string
  readonly delta: number
  readonly scale_compute: boolean
  readonly include: readonly string[]
  readonly exclude: readonly string[]
}

/** Scales a node or a scaling group of the execution's deployment (docs/reference/workflows.md, "Scale"). */
export const modification: WorkflowAction = {
  async begin(transaction, run) {
    const { execution } = run
    const owner = ownerOf(execution)
    await startModification(transaction, {
      ...owner,
      nodes: await scaled(transaction, owner, run.input as ScaleInput),
      context: null,
      createdBy: execution.created_by,
      executionId: execution.id,
    })
  },
  async end(transaction, { execution }) {
    const own = await requireOwn(transaction, execution)
    await finishModification(transaction, { ...ownerOf(execution), id: own.id })
  },
  /** Somebody may have ended it over REST: what they did stays. */
  async undo(transaction, { execution }) {
    const own = await requireOwn(transaction, execution)
    if (own.status !== 'started') return
    await rollbackModification(transaction, { ...ownerOf(execution), id: own.id })
  },
}

/** Rolls back what an earlier execution, or somebody over REST, has started and not ended. */
export const abortModification: WorkflowAction = {
  async begin(transaction: Transaction, { execution }: ActionRun) {
    const owner = ownerOf(execution)
    const started = await findStartedModification(transaction, owner.tenantId, owner.deploymentId)
    if (started !== undefined) await rollbackModification(transaction, { ...owner, id: started.id })
  },
  end: async () => {},
  undo: async () => {},
}

const ownerOf = ({ tenant_id, deployment_id }: ExecutionRow) => ({
  tenantId: tenant_id,
  deploymentId: deployment_id ?? '',
})

async function requireOwn(transaction: Transaction, execution: ExecutionRow) {
  const { tenantId, deploymentId } = ownerOf(execution)
  const own = await findModificationOf(transaction, tenantId, { deploymentId, executionId: execution.id })
  if (own === undefined) throw notFound('DeploymentModification', `of execution ${execution.id}`)
  return own
}

type Owner = { readonly tenantId: number; readonly deploymentId: string }

/** How many there shall be of what. @throws bad_parameters_error, not_found_error */
async function scaled(
  transaction: Transaction,
  { tenantId, deploymentId }: Owner,
  { entity, delta, scale_compute, include, exclude }: ScaleInput,
): Promise<Readonly<Record<string, ModifiedNumber>>> {
  const scalable = await readScalable(transaction, tenantId, deploymentId)
  const isGroup = Object.hasOwn(scalable.scalingGroups, entity)
  const host = isGroup || !scale_compute ? null : (scalable.nodes.get(entity)?.hostId ?? null)
  const name = host ?? entity
  const current = currentCount(scalable, name)
  if (current === undefined) {
    throw new ApiError('not_found_error', `No scaling group or node with the name ${entity} was found`)
  }
  const instances = current + delta
  if (instances < 0) {
    throw new ApiError(
      'bad_parameters_error',
      `Provided delta: ${delta} is illegal. current number of instances of entity ${name} is ${current}`,
    )
  }
  if (include.length + exclude.length > 0) {
    const present = await readInstanceRecords(transaction, tenantId, deploymentId)
    checkHints({ name, isGroup, current, instances, include, exclude }, present)
  }
  return {
    [name]: {
      instances,
      ...(delta < 0 && { removed_ids_include_hint: include, removed_ids_exclude_hint: exclude }),
    },
  }
}
