import { statSync } from 'node:fs'
import { join } from 'node:path'
import { parseLabels } from '@tutti/api'
import { scopeOf } from '@tutti/domain'
import { findProviderContext } from '@tutti/domain/manager'
import { findImportable as findImportablePlugins, readYamlText } from '@tutti/domain/plugins'
import { diagnosticText } from '@tutti/dsl'
import { Stopped } from '@tutti/engine'
import {
  addLabels,
  blueprintLabels,
  type ExecutionRow,
  type FetchRules,
  isDatabaseAway,
  LeaseLost,
  publicReason,
  type Scope,
  type Transaction,
  UnpackError,
  unpackedArchive,
} from '@tutti/storage'
import { importRulesOf } from '../blueprints/import-rules.ts'
import type { ParsedBlueprint } from '../planning/blueprint.ts'
import { runInThread, TaskAborted } from '../planning/thread.ts'
import type { WorkerServices } from '../services.ts'
import { fetchArchive } from './fetch-archive.ts'
import {
  deleteUploaded,
  failBlueprint,
  findImportable,
  readUploaded,
  setBlueprintState,
  storePlan,
  type Upload,
} from './queries.ts'
import { beginSystemWorkflow, changeWhileHeld, endSystemWorkflow } from './steps.ts'
import type { SystemWorkflow } from './system-workflow.ts'
import { UploadFailure } from './upload-failure.ts'

type Parameters = {
  readonly blueprint_id: string
  readonly app_file_name: string | null
  readonly url: string | null
  readonly validate_only: boolean
  readonly labels: readonly Readonly<Record<string, string>>[] | null
}

const defaultMainFile = 'blueprint.yaml'

/**
 * Fetches, unpacks and parses an uploaded blueprint (docs/reference/blueprints.md, "States";
 * docs/reference/workflows.md, "System workflows").
 */
export const uploadBlueprint: SystemWorkflow = async (services, execution, control) => {
  const parameters = execution.parameters as unknown as Parameters
  const { blueprint_id: id, validate_only: validateOnly } = parameters
  const upload = { tenantId: execution.tenant_id, id, executionId: execution.id }
  const fail = (failure: UploadFailure) => async (transaction: Transaction) => {
    if (validateOnly) await deleteUploaded(transaction, upload)
    else await failBlueprint(transaction, upload, { state: failure.state, error: failure.message })
  }
  const undo = fail(new UploadFailure('failed_uploading', 'The upload was cancelled'))

  if (!(await beginSystemWorkflow(services, execution, control))) {
    return endSystemWorkflow(services, execution, control, { undo })
  }
  try {
    const enter = async (state: string) => {
      const isThere = await changeWhileHeld(services, control, (transaction) =>
        setBlueprintState(transaction, upload, validateOnly ? 'validating' : state),
      )
      if (!isThere) throw gone(id)
    }
    const sha256 = await archiveOf(services, upload, parameters, enter)
    await enter('extracting')
    const folder = await unpack(services, sha256)
    const mainFile = findMainFile(folder, parameters.app_file_name)
    await enter('parsing')
    const parsed = await parse(services, execution, { id, folder, mainFile })
    const labels = labelsOf(parameters, parsed)
    await endSystemWorkflow(services, execution, control, {
      async change(transaction) {
        if (validateOnly) return deleteUploaded(transaction, upload)
        if (!(await storePlan(transaction, upload, { parsed, mainFile }))) throw gone(id)
        await addLabels(transaction, blueprintLabels, upload, labels, execution.created_by)
      },
      undo,
    })
  } catch (error) {
    if (isDatabaseAway(error) || error instanceof LeaseLost || error instanceof Stopped) throw error
    if (!(error instanceof UploadFailure)) services.log.error({ err: error, blueprint: id }, 'upload failed')
    // A failure of this machine ends the upload as well: what hangs could not be uploaded again.
    const failure =
      error instanceof UploadFailure ? error : new UploadFailure('failed_uploading', publicReason(error))
    await endSystemWorkflow(services, execution, control, {
      error: failure.message,
      change: fail(failure),
      undo,
    })
  }
}

const gone = (id: string) =>
  new UploadFailure('failed_uploading', `Blueprint ${id} was deleted during its upload`)

async function archiveOf(
  services: WorkerServices,
  upload: Upload,
  { url }: Parameters,
  enter: (state: string) => Promise<void>,
): Promise<string> {
  const blueprint = await readUploaded(services.db, upload)
  if (blueprint === undefined) throw gone(upload.id)
  if (blueprint.archive_sha256 !== null) return blueprint.archive_sha256
  if (url === null)
    throw new UploadFailure('failed_uploading', 'The blueprint has neither an archive nor an address')
  await enter('uploading')
  return fetchArchive(services, upload, url, fetchRules(services))
}

function fetchRules({ settings }: WorkerServices): FetchRules {
  const { allowedHosts, allowPrivateAddresses, maxArchiveBytes } = settings
  return { allowedHosts, allowPrivateAddresses, maxBytes: maxArchiveBytes, timeoutMs: 60_000 }
}

async function unpack({ db, settings, config }: WorkerServices, sha256: string): Promise<string> {
  try {
    return await unpackedArchive(db, sha256, join(settings.dataFolder, 'archives'), {
      maxBytes: config.get('blueprint_folder_max_size_mb') * 2 ** 20,
      maxEntries: config.get('blueprint_folder_max_files'),
    })
  } catch (error) {
    if (error instanceof UnpackError) throw new UploadFailure('failed_extracting', error.message)
    throw error
  }
}

function findMainFile(folder: string, given: string | null): string {
  const mainFile = given ?? defaultMainFile
  if (isFile(join(folder, mainFile))) return mainFile
  throw new UploadFailure('failed_extracting', `${mainFile} does not exist in the application directory`)
}

function isFile(path: string): boolean {
  try {
    return statSync(path).isFile()
  } catch {
    // Not there, below a file, or under a name that no file can have.
    return false
  }
}

type Parsed = ParsedBlueprint & { readonly ok: true }

async function parse(
  services: WorkerServices,
  execution: ExecutionRow,
  { id, folder, mainFile }: { readonly id: string; readonly folder: string; readonly mainFile: string },
): Promise<Parsed> {
  const importRules = importRulesOf((await findProviderContext(services.db))?.context)
  let known: Promise<Scope> | undefined
  const scope = () => {
    known ??= scopeOf(services.db, execution.tenant_id, execution.created_by)
    return known
  }
  const outcome = await runInThread(
    () => services.planning.enter(execution.tenant_id),
    'parse',
    {
      folder,
      mainFile,
      name: id,
      fetchRules: fetchRules(services),
      ...(importRules !== undefined && { importRules }),
    },
    {
      async blueprint(other) {
        const found = await findImportable(services.db, execution.tenant_id, execution.created_by, other)
        if (found === undefined) return undefined
        return { folder: await unpack(services, found.sha256), mainFile: found.mainFile }
      },
      plugins: async (packageName) => findImportablePlugins(services.db, await scope(), packageName),
      async pluginFile({ name, ...plugin }) {
        const text = await readYamlText(services.db, plugin, name)
        if (text !== undefined) return text
        throw new UploadFailure('failed_parsing', `A plugin that is imported was deleted during the upload`)
      },
    },
  ).catch((error: unknown) => {
    if (!(error instanceof TaskAborted)) throw error
    services.log.error({ err: error, execution_id: execution.id }, 'blueprint not parsed to an end')
    throw new UploadFailure('failed_parsing', `Failed parsing blueprint - ${error.message}`)
  })
  if (outcome.ok) return outcome
  const [first, ...others] = outcome.diagnostics
  const more = others.map((diagnostic) => `\n${diagnosticText(diagnostic)}`).join('')
  const kind = first.isDslError ? 'Invalid blueprint - ' : 'Failed parsing blueprint - '
  throw new UploadFailure(
    first.isDslError ? 'invalid' : 'failed_parsing',
    `${kind}${diagnosticText(first)}${more}`,
  )
}

/** Those of the request, or where it names none those that the blueprint gives itself. */
function labelsOf(parameters: Parameters, parsed: Parsed) {
  const given =
    parameters.labels ?? Object.entries(parsed.labels).map(([key, { values }]) => ({ [key]: [...values] }))
  try {
    return parseLabels(given)
  } catch (error) {
    throw new UploadFailure(
      'invalid',
      `Invalid blueprint - ${error instanceof Error ? error.message : error}`,
    )
  }
}
