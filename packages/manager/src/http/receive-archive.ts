import { randomUUID } from 'node:crypto'
import { createWriteStream } from 'node:fs'
import { open, readFile, rm, stat } from 'node:fs/promises'
import type { IncomingMessage } from 'node:http'
import { join } from 'node:path'
import { Transform } from 'node:stream'
import { pipeline } from 'node:stream/promises'
import { Busboy } from '@fastify/busboy'
import { badParameter } from '@tutti/api'
import type { ArchiveExtension, ReceivedArchive } from '@tutti/domain'
import type { Request } from '../request.ts'
import { bodyOf } from './body.ts'

/**
 * Reads an upload in all forms that clients send (docs/reference/blueprints.md, "Upload"): raw bytes, raw chunked,
 * multipart with the text field `params` and the file `blueprint_archive`, parameters in JSON without an archive, or
 * nothing at all. The bytes go to a file, never to memory.
 *
 * @throws bad_parameters_error for a body that is too large or malformed
 */
export async function receiveArchive(request: Request): Promise<ReceivedArchive> {
  const { settings } = request.services
  const path = join(request.services.uploadFolder, randomUUID())
  const remove = () => rm(path, { force: true })
  try {
    const isMultipart = /^multipart\/form-data/i.test(request.raw.headers['content-type'] ?? '')
    const parameters = isMultipart
      ? await receiveMultipart(request, path, settings.maxArchiveBytes)
      : await receiveRaw(request.raw, path, settings.maxArchiveBytes)
    const start = await firstBytes(path)
    const extension = archiveExtension(start)
    const mayBeJson = !isMultipart && extension === undefined && /^\s*\{/.test(start.toString('latin1'))
    const written = mayBeJson ? await readParameters(path, settings.maxBodyBytes) : undefined
    return {
      file: start.length === 0 || written !== undefined ? undefined : path,
      extension,
      parameters: written ?? parameters,
      remove,
    }
  } catch (error) {
    await remove()
    throw error
  }
}

async function receiveRaw(raw: IncomingMessage, path: string, maxBytes: number) {
  await pipeline(bodyOf(raw), limit(maxBytes), createWriteStream(path, { mode: 0o600 }))
  return {}
}

/**
 * The file and the fields of a multipart body. Whatever is wrong with it is told by its promise alone: the parser emits
 * events from within the stream's own callbacks, where an exception would end the process.
 */
async function receiveMultipart(request: Request, path: string, maxBytes: number) {
  const busboy = openParser(request)
  const { promise: failed, reject: fail } = Promise.withResolvers<never>()
  const rest = new AbortController()
  let parameters: Readonly<Record<string, unknown>> = {}
  const writes: Promise<void>[] = []
  busboy.on('field', (name, text, _nameTruncated, isTruncated) => {
    if (name !== 'params') return
    try {
      if (isTruncated) throw badParameter('The field `params` is too large')
      parameters = parseParams(text)
    } catch (error) {
      fail(error)
    }
  })
  busboy.on('file', (_name, stream) => {
    const write = pipeline(stream, limit(maxBytes), createWriteStream(path, { mode: 0o600 }), rest)
    writes.push(write)
    // A part that is no longer read would keep the parser waiting for ever.
    write.catch(fail)
  })
  const parsed = pipeline(bodyOf(request.raw), busboy, rest).catch((error: Error) => {
    throw malformed(error)
  })
  try {
    await Promise.race([failed, parsed.then(() => Promise.all(writes))])
    return parameters
  } finally {
    rest.abort()
    await Promise.allSettled([parsed, ...writes])
  }
}

function openParser(request: Request) {
  const { 'content-type': contentType = '' } = request.raw.headers
  try {
    return new Busboy({
      headers: { 'content-type': contentType },
      limits: { files: 1, fields: 10, fieldSize: request.services.settings.maxBodyBytes },
    })
  } catch (error) {
    throw malformed(error as Error)
  }
}

const malformed = (error: Error) => badParameter(`The multipart body is malformed: ${error.message}`)

function parseParams(text: string, what = 'The field `params`'): Readonly<Record<string, unknown>> {
  let value: unknown
  try {
    value = JSON.parse(text)
  } catch (error) {
    throw badParameter(`${what} is not valid JSON: ${error instanceof Error ? error.message : error}`)
  }
  if (typeof value !== 'object' || value === null || Array.isArray(value)) {
    throw badParameter(`${what} must be a JSON object`)
  }
  return value as Readonly<Record<string, unknown>>
}

/** How clients of v2 send them. The content type says nothing: clients name `application/json` for archives too. */
async function readParameters(path: string, maxBytes: number) {
  const { size } = await stat(path)
  return size > maxBytes ? undefined : parseParams(await readFile(path, 'utf8'), 'The request body')
}

function limit(maxBytes: number): Transform {
  let size = 0
  return new Transform({
    transform(chunk: Buffer, _encoding, done) {
      size += chunk.length
      if (size > maxBytes) done(badParameter(`The archive is larger than the allowed ${maxBytes} bytes`))
      else done(null, chunk)
    },
  })
}

async function firstBytes(path: string): Promise<Buffer> {
  const file = await open(path).catch((error: NodeJS.ErrnoException) => {
    if (error.code === 'ENOENT') return undefined
    throw error
  })
  if (file === undefined) return Buffer.alloc(0)
  try {
    const { buffer, bytesRead } = await file.read(Buffer.alloc(512), 0, 512, 0)
    return buffer.subarray(0, bytesRead)
  } finally {
    await file.close()
  }
}

/** The kind of archive by its first bytes, as names say nothing. */
function archiveExtension(start: Buffer): ArchiveExtension | undefined {
  if (start.subarray(0, 2).toString('latin1') === 'PK') return 'zip'
  if (start[0] === 0x1f && start[1] === 0x8b) return 'tar.gz'
  if (start.subarray(0, 3).toString('latin1') === 'BZh') return 'tar.bz2'
  if (start.subarray(257, 262).toString('latin1') === 'ustar') return 'tar'
  return undefined
}
