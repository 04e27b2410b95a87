import { randomUUID } from 'node:crypto'
import {
  ApiError,
  BlueprintUpload,
  badParameter,
  checkIdentifier,
  duplicateBlueprint,
  isEndStatus,
  isFailedBlueprintState,
  joinVisibilities,
  type LabelPair,
  parseBody,
  parseCreateVisibility,
  parseLabels,
  parseLabelsText,
  type Visibility,
} from '@tutti/api'
import {
  blueprintLabels,
  blueprintTable,
  deleteOwned,
  findOwned,
  hashFile,
  lockId,
  replaceLabels,
  type Transaction,
  toJson,
  writeArchiveFile,
} from '@tutti/storage'
import { type Actor, isHiddenFrom, requirePermission, tenantOf } from '../actor.ts'
import { insertExecution } from '../executions/index.ts'
import { checkMayBeGlobal, checkOnlyOne, creationOf } from '../owned.ts'
import type { ReceivedArchive } from '../received-archive.ts'
import { type BlueprintState, insertBlueprint } from './queries.ts'
import { getBlueprint } from './service.ts'
import { checkState, withoutPlan } from './state.ts'

type Upload = {
  readonly id: string
  readonly visibility: Visibility
  readonly applicationFileName: string | undefined
  readonly url: string | undefined
  readonly labels: readonly LabelPair[] | undefined
  readonly isAsync: boolean
  readonly validateOnly: boolean
  /** In this state, with these requirements, and nothing reads it. */
  readonly restored: { readonly state: string; readonly requirements: unknown } | undefined
  /** Who made it and when, where others than the caller now. */
  readonly creation: Parameters<typeof creationOf>[2]
}

type Query = Readonly<Record<string, unknown>>

/** Stores a blueprint; unless told not to wait, until it is parsed. @throws invalid_blueprint_error and others */
export async function uploadBlueprint(
  actor: Actor,
  id: string,
  query: Query,
  archive: ReceivedArchive,
): Promise<void> {
  const { executionEnds, settings } = actor.services
  const { executionId, isAsync } = await startUpload(actor, id, query, archive, false)
  if (isAsync || executionId === undefined) return
  await executionEnds.wait(tenantOf(actor).id, executionId, settings.waitMs)
  const { state, error } = (await getBlueprint(actor, id, ['state', 'error'])).item
  checkUploaded(id, { state: String(state), error: error === null ? null : String(error) })
}

/**
 * Parses a blueprint and stores nothing of it. What takes longer than a request may wait is answered with the temporary
 * blueprint, whose `upload_execution` is followed to the end: it fails with the cause.
 *
 * @throws invalid_blueprint_error
 */
export async function validateBlueprint(actor: Actor, id: string, query: Query, archive: ReceivedArchive) {
  const { executionEnds, settings } = actor.services
  const { executionId } = await startUpload(actor, id, query, archive, true)
  if (executionId === undefined) throw badParameter('skip_execution cannot be used to validate a blueprint')
  const tenantId = tenantOf(actor).id
  let end = await executionEnds.wait(tenantId, executionId, settings.waitMs)
  if (end !== undefined && !isEndStatus(end.status)) {
    const temporary = await getBlueprint(actor, id).catch((error: unknown) => error)
    if (!(temporary instanceof Error)) return temporary
    // It has gone with the end of the execution, which came just now.
    end = await executionEnds.wait(tenantId, executionId, 0)
    if (end !== undefined && !isEndStatus(end.status)) throw temporary
  }
  if (end?.status === 'terminated') return undefined
  throw new ApiError(
    'invalid_blueprint_error',
    end?.status === 'failed' ? end.error : `The validation is ${end?.status ?? 'gone'}`,
    { hint: `See execution ${executionId}` },
  )
}

/** Without an execution when nothing is to read the archive. */
type Uploading = { readonly executionId: string | undefined; readonly isAsync: boolean }

/**
 * Stores the archive, the blueprint's row and the execution `upload_blueprint` that parses it, all in one
 * transaction (docs/reference/blueprints.md, "Upload"). An upload that failed before is replaced.
 */
async function startUpload(
  actor: Actor,
  id: string,
  query: Query,
  archive: ReceivedArchive,
  validateOnly: boolean,
): Promise<Uploading> {
  checkIdentifier('blueprint_id', id)
  const upload = readUpload(
    actor,
    id,
    joinVisibilities(query, { ...query, ...archive.parameters }),
    validateOnly,
  )
  checkSource(upload, archive)
  if (archive.file !== undefined && archive.extension === undefined) {
    if (!validateOnly) await storeFailure(actor, upload, noArchive)
    throw badParameter(noArchive)
  }
  return await store(actor, upload, archive)
}

const parseUpload = (given: Readonly<Record<string, unknown>>) => parseBody(BlueprintUpload, given)

function readUpload(
  actor: Actor,
  id: string,
  given: Readonly<Record<string, unknown>>,
  validateOnly: boolean,
): Upload {
  const parameters = parseUpload(given)
  const visibility = parseCreateVisibility(parameters)
  checkMayBeGlobal(actor, visibility)
  const { labels } = parameters
  return {
    id,
    visibility,
    applicationFileName: mainFileName(parameters.application_file_name),
    url: parameters.blueprint_archive_url || undefined,
    labels:
      labels == null ? undefined : typeof labels === 'string' ? parseLabelsText(labels) : parseLabels(labels),
    isAsync: parameters.async_upload ?? false,
    validateOnly,
    restored: parameters.skip_execution ? restoredOf(actor, id, parameters) : undefined,
    creation: parameters,
  }
}

/** @throws bad_parameters_error, conflict_error, forbidden_error */
function restoredOf(actor: Actor, id: string, { state, requirements }: ReturnType<typeof parseUpload>) {
  requirePermission(actor, 'snapshot_restore')
  if (state != null && state !== '') {
    checkState(state)
    // What it consists of is said after this.
    if (state === 'uploaded') throw withoutPlan(id)
  }
  return { state: state || 'uploading', requirements: requirements ?? null }
}

/** The Python client sends the name URL-quoted also inside JSON. */
function mainFileName(name: string | null | undefined): string | undefined {
  if (name == null || name === '') return undefined
  const decoded = unquoted(name)
  if (decoded.includes('\0') || decoded.startsWith('/') || decoded.split('/').includes('..')) {
    throw badParameter(`application_file_name must be a path inside the archive, got ${decoded}`)
  }
  return decoded
}

function unquoted(name: string): string {
  try {
    return decodeURIComponent(name)
  } catch {
    // A percent sign that quotes nothing is part of the name.
    return name
  }
}

function checkSource(upload: Upload, archive: ReceivedArchive): void {
  if (upload.url !== undefined && archive.file !== undefined) {
    throw badParameter(
      "Can't pass both a blueprint URL via query parameters and blueprint data via the request body",
    )
  }
  // One that failed elsewhere may have none.
  if (upload.restored === undefined && upload.url === undefined && archive.file === undefined) {
    throw badParameter(
      'Missing blueprint archive: the request holds neither an archive nor blueprint_archive_url',
      {
        hint: 'Send a zip, tar, tar.gz or tar.bz2 as the body',
      },
    )
  }
}

const noArchive =
  'Blueprint archive is of an unrecognized format. Supported formats are: zip, tar, tar.gz, tar.bz2'

/** Locks the id for a new blueprint, in whose way only an upload of this tenant may be that failed. @throws conflict_error */
async function makeWay(actor: Actor, transaction: Transaction, upload: Upload): Promise<void> {
  const tenant = tenantOf(actor)
  await lockId(transaction, blueprintTable, upload.id)
  const existing = await findOwned<Pick<BlueprintState, 'state'>>(
    transaction,
    blueprintTable,
    tenant.id,
    upload.id,
    ['state'],
  )
  if (existing !== undefined) {
    const makesWay =
      existing.tenant_id === tenant.id &&
      isFailedBlueprintState(existing.state) &&
      !isHiddenFrom(actor, existing)
    // A validation leaves everything as it is, failed uploads too.
    if (!makesWay || upload.validateOnly) throw duplicateBlueprint(upload.id, tenant.name)
    await deleteOwned(transaction, blueprintTable, existing)
  }
  const claimed = { tenant_id: tenant.id, tenant_name: tenant.name, id: upload.id }
  await checkOnlyOne(transaction, blueprintTable, claimed, upload.visibility)
}

/** An upload that failed at once is seen as one, until the next takes its place. */
async function storeFailure(actor: Actor, upload: Upload, error: string): Promise<void> {
  await actor.services.db.transaction().execute(async (transaction) => {
    await makeWay(actor, transaction, upload)
    const { created_by, created_at } = await creationOf(actor, transaction, upload.creation)
    await insertBlueprint(transaction, {
      tenant_id: tenantOf(actor).id,
      id: upload.id,
      state: 'failed_uploading',
      error,
      visibility: upload.visibility,
      created_by,
      ...(created_at !== undefined && { created_at }),
      main_file_name: upload.applicationFileName ?? null,
      archive_sha256: null,
      archive_extension: null,
      upload_execution_id: null,
      is_hidden: false,
    })
  })
}

async function store(actor: Actor, upload: Upload, archive: ReceivedArchive): Promise<Uploading> {
  const { db, queue, settings } = actor.services
  const tenant = tenantOf(actor)
  const { restored } = upload
  const executionId = restored === undefined ? randomUUID() : undefined
  const file = archive.file === undefined ? undefined : await hashFile(archive.file, settings.maxArchiveBytes)
  await db.transaction().execute(async (transaction) => {
    await makeWay(actor, transaction, upload)
    const { created_by, created_at } = await creationOf(actor, transaction, upload.creation)
    const stored = file === undefined ? undefined : await writeArchiveFile(transaction, file)
    await insertBlueprint(transaction, {
      tenant_id: tenant.id,
      id: upload.id,
      state:
        restored?.state ??
        (upload.validateOnly ? 'validating' : upload.url === undefined ? 'uploading' : 'pending'),
      ...(restored?.requirements != null && { requirements: toJson(restored.requirements) }),
      error: null,
      visibility: upload.visibility,
      created_by,
      ...(created_at !== undefined && { created_at }),
      main_file_name: upload.applicationFileName ?? null,
      archive_sha256: stored?.sha256 ?? null,
      archive_extension: archive.extension ?? null,
      upload_execution_id: executionId ?? null,
      is_hidden: upload.validateOnly,
    })
    if (executionId === undefined) {
      const owner = { tenantId: tenant.id, id: upload.id }
      await replaceLabels(transaction, blueprintLabels, owner, upload.labels ?? [], created_by)
      return
    }
    await insertExecution(transaction, queue, {
      tenantId: tenant.id,
      id: executionId,
      workflowId: 'upload_blueprint',
      status: 'pending',
      parameters: {
        blueprint_id: upload.id,
        app_file_name: upload.applicationFileName ?? null,
        url: upload.url ?? null,
        validate_only: upload.validateOnly,
        labels: upload.labels?.map(({ key, value }) => ({ [key]: value })) ?? null,
      },
      visibility: upload.visibility,
      createdBy: actor.caller.username,
    })
  })
  return { executionId, isAsync: upload.isAsync }
}

/** Texts of the state in which an upload failed. @throws invalid_blueprint_error */
function checkUploaded(
  id: string,
  blueprint: { readonly state: string; readonly error: string | null },
): void {
  const { state, error } = blueprint
  if (!isFailedBlueprintState(state)) return
  const what = state === 'invalid' ? 'is invalid.' : `has ${state.replaceAll('_', ' ')}.`
  throw new ApiError('invalid_blueprint_error', `Blueprint \`${id}\` ${what} Error: ${error ?? ''}`)
}
