import { createWriteStream } from 'node:fs'
import { Readable } from 'node:stream'
import { pipeline } from 'node:stream/promises'
import type { ReadableStream as NodeReadableStream } from 'node:stream/web'
import { type Blueprint, isFinalBlueprintState } from '@tutti/api'
import { type ArchiveSource, openArchive } from '../archive.ts'
import type { Call } from '../call.ts'
import { ClientError } from '../errors.ts'
import { followExecution } from '../follow-execution.ts'
import { iterate, type ListOptions, list } from '../pages.ts'
import { firstPauseMs, nextPauseMs, type Wait, wait } from '../wait.ts'

export type UploadOptions = {
  readonly visibility?: string | undefined
  /** Key → values. */
  readonly labels?: readonly (readonly [string, string])[]
  /** Main file in the archive; default is that of the source, then blueprint.yaml. */
  readonly mainFile?: string | undefined
  /** Answer before the blueprint is parsed; see `waitUntilUploaded`. */
  readonly isAsync?: boolean
  readonly signal?: AbortSignal | undefined
}

export const blueprintMethods = (call: Call) => ({
  list: (options?: ListOptions<'blueprints.list'>) => list(call, 'blueprints.list', options),
  iterate: (options?: ListOptions<'blueprints.list'>) => iterate(call, 'blueprints.list', options),
  get: (id: string): Promise<Blueprint> => call('blueprints.get', { params: { blueprint_id: id } }),
  upload: (id: string, source: ArchiveSource, options: UploadOptions = {}): Promise<Blueprint> =>
    call('blueprints.upload', {
      params: { blueprint_id: id },
      query: uploadQuery(source, options),
      body: openArchive(source),
      signal: options.signal,
    }),
  /** Resolves when it is valid, however long that takes. @throws ClientError */
  validate: (
    id: string,
    source: ArchiveSource,
    options: UploadOptions = {},
    pause: Wait = wait,
  ): Promise<void> => validate(call, id, source, options, pause),
  waitUntilUploaded: (id: string, signal?: AbortSignal, pause: Wait = wait): Promise<Blueprint> =>
    waitUntilUploaded(call, id, signal, pause),
  setLabels: (id: string, labels: readonly (readonly [string, string])[]): Promise<Blueprint> =>
    call('blueprints.update', {
      params: { blueprint_id: id },
      body: { labels: labels.map(([key, value]) => ({ [key]: value })) },
    }),
  delete: (id: string, force = false): Promise<undefined> =>
    call('blueprints.delete', { params: { blueprint_id: id }, query: { force } }),
  download: (id: string) => call('blueprints.download', { params: { blueprint_id: id } }),
  /** Stores the archive in a new file; an existing one is not overwritten. */
  downloadTo: async (id: string, path: string, signal?: AbortSignal): Promise<void> => {
    const { bytes } = await call('blueprints.download', { params: { blueprint_id: id }, signal })
    await pipeline(Readable.fromWeb(bytes as NodeReadableStream), createWriteStream(path, { flags: 'wx' }))
  },
})

function uploadQuery(source: ArchiveSource, options: UploadOptions) {
  const labels = (options.labels ?? []).map(([key, value]) => `${key}=${escapeValue(value)}`)
  return {
    visibility: options.visibility,
    application_file_name: options.mainFile ?? source.mainFile,
    labels: labels.length === 0 ? undefined : labels.join(','),
    async_upload: options.isAsync ?? false,
  }
}

async function validate(
  call: Call,
  id: string,
  source: ArchiveSource,
  options: UploadOptions,
  pause: Wait,
): Promise<void> {
  const { signal } = options
  const unfinished: Blueprint | undefined = await call('blueprints.validate', {
    params: { blueprint_id: id },
    query: uploadQuery(source, options),
    body: openArchive(source),
    signal,
  })
  const executionId = unfinished?.upload_execution?.id
  if (executionId == null) return
  const { status, error } = await followExecution(call, executionId, {
    signal,
    wait: pause,
    includeLogs: false,
  })
  if (status === 'terminated') return
  throw new ClientError({
    status: 400,
    code: 'invalid_blueprint_error',
    message: status === 'failed' ? (error ?? '') : `The validation is ${status}`,
    hint: `See execution ${executionId}`,
    request: `PUT /blueprints/${id}/validate`,
    body: undefined,
  })
}

const escapeValue = (value: string) => value.replaceAll(/[,=]/g, '\\$&')

/** Polls until the upload is over, well or not: look at `state` and `error`. */
async function waitUntilUploaded(
  call: Call,
  id: string,
  signal: AbortSignal | undefined,
  pause: Wait,
): Promise<Blueprint> {
  for (let pauseMs = firstPauseMs; ; pauseMs = nextPauseMs(pauseMs)) {
    const blueprint = await call('blueprints.get', { params: { blueprint_id: id }, signal })
    if (isFinalBlueprintState(blueprint.state ?? '')) return blueprint
    await pause(pauseMs, signal)
  }
}
