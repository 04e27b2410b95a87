import { existsSync } from 'node:fs'
import { join } from 'node:path'
import { parseLabels } from '@tutti/api'
import { diagnosticText, type Plan } from '@tutti/dsl'
import {
  ArchiveTooLarge,
  addLabels,
  blueprintLabels,
  checkLease,
  type ExecutionRow,
  isDatabaseAway,
  LeaseLost,
  UnpackError,
  unpackedArchive,
  writeArchive,
} from '@tutti/storage'
import { parseInThread } from '../blueprints/parse-thread.ts'
import { type ExecutionControl, Stopped } from '../executions/control.ts'
import { FetchRefused, type FetchRules, guardedFetch } from '../fetch/guarded-fetch.ts'
import type { WorkerServices } from '../services.ts'
import type { SystemWorkflow } from './index.ts'
import {
  deleteBlueprint,
  failBlueprint,
  findImportable,
  readBlueprint,
  setBlueprintArchive,
  setBlueprintState,
  storePlan,
} from './queries.ts'
import { beginSystemWorkflow, changeWhileHeld, endSystemWorkflow } from './steps.ts'

type Parameters = {
  readonly blueprint_id: string
  readonly app_file_name: string | null
  readonly url: string | null
  readonly validate_only: boolean
  readonly labels: readonly Readonly<Record<string, string>>[] | null
}

/** What the author of the blueprint did wrong, with the state that it leaves the blueprint in. */
class UploadFailure extends Error {
  readonly state: string
  constructor(state: string, message: string) {
    super(message)
    this.name = 'UploadFailure'
    this.state = state
  }
}

const defaultMainFile = 'blueprint.yaml'

/** Fetches, unpacks and parses an uploaded blueprint (spec/dsl.md 1, spec/workflows.md 7). */
export const uploadBlueprint: SystemWorkflow = async (services, execution, control) => {
  const parameters = execution.parameters as unknown as Parameters
  const { blueprint_id: id, validate_only: validateOnly } = parameters
  const tenantId = execution.tenant_id
  await beginSystemWorkflow(services, execution, control)
  try {
    const sha256 = await fetchArchive(services, execution, control, parameters)
    const enter = async (state: string) => {
      if (validateOnly) return
      await changeWhileHeld(services, control, (transaction) =>
        setBlueprintState(transaction, tenantId, id, state),
      )
    }
    await enter('extracting')
    const folder = await unpack(services, sha256)
    const mainFile = findMainFile(folder, parameters.app_file_name)
    await enter('parsing')
    const plan = await parse(services, execution, { id, folder, mainFile })
    const labels = labelsOf(parameters, plan)
    await endSystemWorkflow(services, execution, control, undefined, async (transaction) => {
      if (validateOnly) return deleteBlueprint(transaction, tenantId, id)
      await storePlan(transaction, tenantId, id, { plan, mainFile })
      await addLabels(transaction, blueprintLabels, { tenantId, id }, labels, execution.created_by)
    })
  } catch (error) {
    if (isDatabaseAway(error) || error instanceof LeaseLost || error instanceof Stopped) throw error
    if (!(error instanceof UploadFailure)) services.log.error({ err: error, blueprint: id }, 'upload failed')
    // A failure of this machine ends the upload as well: what hangs could not be uploaded again.
    const { state, message } =
      error instanceof UploadFailure ? error : { state: 'failed_uploading', message: String(error) }
    await endSystemWorkflow(services, execution, control, message, (transaction) =>
      validateOnly
        ? deleteBlueprint(transaction, tenantId, id)
        : failBlueprint(transaction, tenantId, id, { state, error: message }),
    )
  }
}

async function fetchArchive(
  services: WorkerServices,
  execution: ExecutionRow,
  control: ExecutionControl,
  parameters: Parameters,
): Promise<string> {
  const { db, settings } = services
  const { blueprint_id: id, url } = parameters
  const blueprint = await readBlueprint(db, execution.tenant_id, id)
  if (blueprint === undefined) throw new Error(`blueprint ${id} is gone`)
  if (blueprint.archive_sha256 !== null) return blueprint.archive_sha256
  if (url === null)
    throw new UploadFailure('failed_uploading', 'The blueprint has neither an archive nor an address')
  const state = parameters.validate_only ? 'validating' : 'uploading'
  await changeWhileHeld(services, control, (transaction) =>
    setBlueprintState(transaction, execution.tenant_id, id, state),
  )
  try {
    const content = await guardedFetch(url, fetchRules(services))
    return await db.transaction().execute(async (transaction) => {
      const { sha256 } = await writeArchive(transaction, content, { maxBytes: settings.maxArchiveBytes })
      // Only now: it locks the execution, and a slow server must not hold up the renewal of its lease.
      await checkLease(transaction, control.lease)
      await setBlueprintArchive(transaction, execution.tenant_id, id, { sha256, extension: extensionOf(url) })
      return sha256
    })
  } catch (error) {
    if (error instanceof FetchRefused || error instanceof ArchiveTooLarge) {
      throw new UploadFailure('failed_uploading', error.message)
    }
    throw error
  }
}

function fetchRules({ settings }: WorkerServices): FetchRules {
  const { allowedHosts, allowPrivateAddresses, maxArchiveBytes } = settings
  return { allowedHosts, allowPrivateAddresses, maxBytes: maxArchiveBytes, timeoutMs: 60_000 }
}

/** Only for the name of a later download: what the archive really is decides its content. */
function extensionOf(url: string): string {
  const match = /\.(zip|tar\.gz|tgz|tar\.bz2|tar)$/i.exec(new URL(url).pathname)
  return match?.[1]?.toLowerCase() ?? 'tar.gz'
}

async function unpack({ db, settings }: WorkerServices, sha256: string): Promise<string> {
  try {
    return await unpackedArchive(db, sha256, join(settings.dataFolder, 'archives'), {
      maxBytes: settings.maxUnpackedBytes,
      maxEntries: settings.maxUnpackedEntries,
    })
  } catch (error) {
    if (error instanceof UnpackError) throw new UploadFailure('failed_extracting', error.message)
    throw error
  }
}

function findMainFile(folder: string, given: string | null): string {
  const mainFile = given ?? defaultMainFile
  if (existsSync(join(folder, mainFile))) return mainFile
  throw new UploadFailure('failed_extracting', `${mainFile} does not exist in the application directory`)
}

async function parse(
  services: WorkerServices,
  execution: ExecutionRow,
  { id, folder, mainFile }: { readonly id: string; readonly folder: string; readonly mainFile: string },
): Promise<Plan> {
  const outcome = await parseInThread(
    { folder, mainFile, name: id, fetchRules: fetchRules(services) },
    async (other) => {
      const found = await findImportable(services.db, execution.tenant_id, execution.created_by, other)
      if (found === undefined) return undefined
      return { folder: await unpack(services, found.sha256), mainFile: found.mainFile }
    },
  )
  if (outcome.ok) return outcome.plan
  const [first, ...others] = outcome.diagnostics
  const more = others.map((diagnostic) => `\n${diagnosticText(diagnostic)}`).join('')
  const kind = first.isDslError ? 'Invalid blueprint - ' : 'Failed parsing blueprint - '
  throw new UploadFailure(
    first.isDslError ? 'invalid' : 'failed_parsing',
    `${kind}${diagnosticText(first)}${more}`,
  )
}

/** Those of the request, or where it names none those that the blueprint gives itself. */
function labelsOf(parameters: Parameters, plan: Plan) {
  const given =
    parameters.labels ??
    Object.entries(plan.blueprint_labels).map(([key, { values }]) => ({ [key]: [...values] }))
  try {
    return parseLabels(given)
  } catch (error) {
    throw new UploadFailure(
      'invalid',
      `Invalid blueprint - ${error instanceof Error ? error.message : error}`,
    )
  }
}
