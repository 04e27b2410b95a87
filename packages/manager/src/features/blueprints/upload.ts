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
  blueprintTable,
  type Database,
  deleteOwned,
  findOwned,
  hashFile,
  insertExecution,
  lockId,
  writeArchiveFile,
} from '@tutti/storage'
import { checkMayBeGlobal, checkOnlyOne, creationOf } from '../../owned.ts'
import { isHiddenFrom, type Request, tenantOf } from '../../request.ts'
import { type BlueprintState, insertBlueprint } from './queries.ts'
import { type ReceivedArchive, receiveArchive } from './receive-archive.ts'
import { getBlueprint } from './service.ts'

type Upload = {
  readonly id: string
  readonly visibility: Visibility
  readonly applicationFileName: string | undefined
  readonly url: string | undefined
  readonly labels: readonly LabelPair[] | undefined
  readonly isAsync: boolean
  readonly validateOnly: boolean
  /** Who made it and when, where others than the caller now. */
  readonly creation: Parameters<typeof creationOf>[2]
}

type Query = Readonly<Record<string, unknown>>

/** Stores a blueprint; unless told not to wait, until it is parsed. @throws invalid_blueprint_error and others */
export async function uploadBlueprint(request: Request, id: string, query: Query): Promise<void> {
  const { ends, settings } = request.services
  const { executionId, isAsync } = await startUpload(request, id, query, false)
  if (isAsync) return
  await ends.wait(tenantOf(request).id, executionId, settings.waitMs)
  const { state, error } = await getBlueprint(request, id, ['state', 'error'])
  checkUploaded(id, { state: String(state), error: error === null ? null : String(error) })
}

/**
 * Parses a blueprint and stores nothing of it. What takes longer than a request may wait is answered with the temporary
 * blueprint, whose `upload_execution` is followed to the end: it fails with the cause.
 *
 * @throws invalid_blueprint_error
 */
export async function validateBlueprint(request: Request, id: string, query: Query) {
  const { ends, settings } = request.services
  const { executionId } = await startUpload(request, id, query, true)
  const tenantId = tenantOf(request).id
  let end = await ends.wait(tenantId, executionId, settings.waitMs)
  if (end !== undefined && !isEndStatus(end.status)) {
    const temporary = await getBlueprint(request, id).catch((error: unknown) => error)
    if (!(temporary instanceof Error)) return temporary
    // It has gone with the end of the execution, which came just now.
    end = await ends.wait(tenantId, executionId, 0)
    if (end !== undefined && !isEndStatus(end.status)) throw temporary
  }
  if (end?.status === 'terminated') return undefined
  throw new ApiError(
    'invalid_blueprint_error',
    end?.status === 'failed' ? end.error : `The validation is ${end?.status ?? 'gone'}`,
    { hint: `See execution ${executionId}` },
  )
}

type Uploading = { readonly executionId: string; readonly isAsync: boolean }

/**
 * Stores the archive, the blueprint's row and the execution `upload_blueprint` that parses it, all in one
 * transaction (spec/rest-facts-a.md 7). An upload that failed before is replaced.
 */
async function startUpload(
  request: Request,
  id: string,
  query: Query,
  validateOnly: boolean,
): Promise<Uploading> {
  checkIdentifier('blueprint_id', id)
  const archive = await receiveArchive(request)
  try {
    const upload = readUpload(
      request,
      id,
      joinVisibilities(query, { ...query, ...archive.parameters }),
      validateOnly,
    )
    checkSource(upload, archive)
    if (archive.file !== undefined && archive.extension === undefined) {
      if (!validateOnly) await storeFailure(request, upload, noArchive)
      throw badParameter(noArchive)
    }
    return await store(request, upload, archive)
  } finally {
    await archive.remove()
  }
}

function readUpload(
  request: Request,
  id: string,
  given: Readonly<Record<string, unknown>>,
  validateOnly: boolean,
): Upload {
  const parameters = parseBody(BlueprintUpload, given)
  const visibility = parseCreateVisibility(parameters)
  checkMayBeGlobal(request, visibility)
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
    creation: parameters,
  }
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
  if (upload.url === undefined && archive.file === undefined) {
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
async function makeWay(request: Request, transaction: Database, upload: Upload): Promise<void> {
  const tenant = tenantOf(request)
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
      !isHiddenFrom(request, existing)
    // A validation leaves everything as it is, failed uploads too.
    if (!makesWay || upload.validateOnly) throw duplicateBlueprint(upload.id, tenant.name)
    await deleteOwned(transaction, blueprintTable, existing)
  }
  const claimed = { tenant_id: tenant.id, tenant_name: tenant.name, id: upload.id }
  await checkOnlyOne(transaction, blueprintTable, claimed, upload.visibility)
}

/** An upload that failed at once is seen as one, until the next takes its place. */
async function storeFailure(request: Request, upload: Upload, error: string): Promise<void> {
  await request.services.db.transaction().execute(async (transaction) => {
    await makeWay(request, transaction, upload)
    const { created_by, created_at } = await creationOf(request, transaction, upload.creation)
    await insertBlueprint(transaction, {
      tenant_id: tenantOf(request).id,
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

async function store(request: Request, upload: Upload, archive: ReceivedArchive): Promise<Uploading> {
  const { db, queue, settings } = request.services
  const tenant = tenantOf(request)
  const executionId = randomUUID()
  const file = archive.file === undefined ? undefined : await hashFile(archive.file, settings.maxArchiveBytes)
  await db.transaction().execute(async (transaction) => {
    await makeWay(request, transaction, upload)
    const { created_by, created_at } = await creationOf(request, transaction, upload.creation)
    const stored = file === undefined ? undefined : await writeArchiveFile(transaction, file)
    await insertBlueprint(transaction, {
      tenant_id: tenant.id,
      id: upload.id,
      state: upload.validateOnly ? 'validating' : upload.url === undefined ? 'uploading' : 'pending',
      error: null,
      visibility: upload.visibility,
      created_by,
      ...(created_at !== undefined && { created_at }),
      main_file_name: upload.applicationFileName ?? null,
      archive_sha256: stored?.sha256 ?? null,
      archive_extension: archive.extension ?? null,
      upload_execution_id: executionId,
      is_hidden: upload.validateOnly,
    })
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
      createdBy: request.caller.username,
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
