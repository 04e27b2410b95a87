import { badParameter, parseDatedLabels, type RouteBody, wireTypeOf, wrongType } from '@tutti/api'
import type { PlanWorkflow } from '@tutti/dsl'
import { type Transaction, writeArchive } from '@tutti/storage'
import { type Actor, requirePermission, tenantOf } from '../actor.ts'
import { setDeploymentLabels } from '../dependencies/index.ts'
import { insertWorkdir, setRecorded } from './restore-queries.ts'

type Body = RouteBody<'deployments.create'>

/** A body that holds it, also an empty one, describes a deployment that was made elsewhere. */
export const isRestored = (body: Body): boolean => body.workdir_zip != null

/**
 * What makes a deployment of the row that has just been inserted, as it is described: nothing runs, and nothing is
 * planned. Its nodes, instances and executions are restored after it.
 *
 * @throws bad_parameters_error, deployment_parent_not_found_error, forbidden_error
 */
export async function restoreRecord(
  actor: Actor,
  transaction: Transaction,
  id: string,
  body: Body,
  createdBy: string,
): Promise<void> {
  requirePermission(actor, 'snapshot_restore')
  const owner = { tenantId: tenantOf(actor).id, id }
  await setRecorded(transaction, owner, { ...body, workflows: workflowsOf(body.workflows) })
  const labels = parseDatedLabels(body.labels ?? [])
  await setDeploymentLabels(transaction, owner, labels, createdBy, 'add')
  const zip = workdirOf(body.workdir_zip)
  if (zip === undefined) return
  const { maxArchiveBytes: maxBytes } = actor.services.settings
  const { sha256 } = await writeArchive(transaction, inOne(zip), { maxBytes })
  await insertWorkdir(transaction, owner, sha256)
}

async function* inOne(bytes: Buffer) {
  yield bytes
}

/** Undefined for an empty text. @throws bad_parameters_error unless it is a zip in base64 */
function workdirOf(text: string | null | undefined): Buffer | undefined {
  if (text == null || text === '') return undefined
  const bytes = /^[A-Za-z0-9+/]*={0,2}$/.test(text) ? Buffer.from(text, 'base64') : undefined
  if (bytes?.subarray(0, 2).toString('latin1') !== 'PK') {
    throw badParameter('workdir_zip must be a zip archive in base64')
  }
  return bytes
}

/** By their names, or as answers list them. What is not said of one is as in a workflow that always runs. */
function workflowsOf(given: unknown): Readonly<Record<string, PlanWorkflow>> {
  if (given == null) return {}
  const entries: readonly (readonly [unknown, unknown])[] = Array.isArray(given)
    ? given.map((workflow) => [(workflow as { readonly name?: unknown } | null)?.name, workflow])
    : Object.entries(given)
  return Object.fromEntries(
    entries.map(([name, workflow]) => {
      if (typeof name !== 'string' || wireTypeOf(workflow) !== 'dict') {
        throw wrongType('workflows', 'dict', wireTypeOf(workflow))
      }
      const { name: _name, created_at: _time, is_available: _now, ...stored } = workflow as Given
      return [name, { ...anyWorkflow, ...stored } as PlanWorkflow]
    }),
  )
}

type Given = Readonly<Record<string, unknown>>

const anyWorkflow = {
  plugin: '',
  operation: '',
  parameters: {},
  is_cascading: false,
  availability_rules: null,
} as const
