import { randomUUID } from 'node:crypto'
import { rm, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { badParameter, parseDatedLabels, type RouteBody, wireTypeOf, wrongType } from '@tutti/api'
import type { PlanWorkflow } from '@tutti/dsl'
import { type Transaction, UnpackError, unpackArchive, writeArchive } from '@tutti/storage'
import { type Actor, requirePermission, tenantOf } from '../actor.ts'
import { setDeploymentLabels } from '../dependencies/index.ts'
import { insertWorkdir, setRecorded } from './restore-queries.ts'

type Body = RouteBody<'deployments.create'>

/** A body that holds it, also an empty one, describes a deployment that was made elsewhere. */
export const isRestored = (body: Body): boolean => body.workdir_zip != null

/** The zip of a working folder, ready to be stored; undefined for an empty one. */
export type Workdir = Buffer | undefined

/**
 * The working folder that the body holds, unpacked once to see that it can be: one that cannot would fail all operations
 * of the deployment for ever. For before the transaction, as it takes time.
 *
 * @throws bad_parameters_error, forbidden_error
 */
export async function readWorkdir(actor: Actor, { workdir_zip: text }: Body): Promise<Workdir> {
  requirePermission(actor, 'snapshot_restore')
  if (text == null || text === '') return undefined
  const bytes = /^[A-Za-z0-9+/]*={0,2}$/.test(text) ? Buffer.from(text, 'base64') : undefined
  if (bytes?.subarray(0, 2).toString('latin1') !== 'PK') {
    throw badParameter('workdir_zip must be a zip archive in base64')
  }
  const { settings, uploadFolder } = actor.services
  const path = join(uploadFolder, randomUUID())
  try {
    await writeFile(path, bytes, { mode: 0o600 })
    await unpackArchive(path, `${path}.tried`, {
      maxBytes: settings.maxUnpackedBytes,
      maxEntries: settings.maxUnpackedEntries,
      topLevel: 'anything',
    })
    return bytes
  } catch (error) {
    if (error instanceof UnpackError) throw badParameter(`workdir_zip cannot be unpacked: ${error.message}`)
    throw error
  } finally {
    await rm(path, { force: true })
    await rm(`${path}.tried`, { recursive: true, force: true })
  }
}

/**
 * What makes a deployment of the row that has just been inserted, as it is described: nothing runs, and nothing is
 * planned. Its nodes, instances and executions are restored after it.
 *
 * @throws bad_parameters_error, deployment_parent_not_found_error
 */
export async function restoreRecord(
  actor: Actor,
  transaction: Transaction,
  id: string,
  body: Body,
  { workdir, createdBy }: { readonly workdir: Workdir; readonly createdBy: string },
): Promise<void> {
  const owner = { tenantId: tenantOf(actor).id, id }
  await setRecorded(transaction, owner, { ...body, workflows: workflowsOf(body.workflows ?? {}) })
  const labels = parseDatedLabels(body.labels ?? [])
  await setDeploymentLabels(transaction, owner, labels, createdBy, 'add')
  if (workdir === undefined) return
  const { maxArchiveBytes: maxBytes } = actor.services.settings
  const { sha256 } = await writeArchive(transaction, inOne(workdir), { maxBytes })
  await insertWorkdir(transaction, owner, sha256)
}

async function* inOne(bytes: Buffer) {
  yield bytes
}

/** By their names, or as answers list them. What is not said of one is as in a workflow that always runs. */
function workflowsOf(given: NonNullable<Body['workflows']>): Readonly<Record<string, PlanWorkflow>> {
  const entries: readonly (readonly [unknown, Given])[] = Array.isArray(given)
    ? given.map((workflow: Given) => [workflow.name, workflow])
    : Object.entries(given)
  return Object.fromEntries(
    entries.map(([name, workflow]) => {
      if (typeof name !== 'string') throw wrongType('workflows.name', 'str', wireTypeOf(name))
      const { name: _name, created_at: _time, is_available: _now, ...stored } = workflow
      const said = Object.fromEntries(Object.entries(stored).filter(([, value]) => value !== null))
      return [name, { ...anyWorkflow, ...said } as PlanWorkflow]
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
