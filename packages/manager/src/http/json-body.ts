import type { IncomingMessage } from 'node:http'
import { badParameter, unsupportedContentType } from '@tutti/api'
import { bodyOf } from './body.ts'

/**
 * Reads a JSON body. None at all is undefined, whatever the content type says: the Python client names
 * `application/json` on every request, with or without a body (spec/rest-facts-a.md 1).
 *
 * @throws unsupported_content_type_error, bad_parameters_error
 */
export async function readJsonBody(raw: IncomingMessage, maxBytes: number): Promise<unknown> {
  const bytes = await readBytes(raw, maxBytes)
  if (bytes.length === 0) return undefined
  const contentType = raw.headers['content-type']
  if (contentType === undefined || !/^application\/json\s*(;|$)/i.test(contentType)) {
    throw unsupportedContentType(contentType)
  }
  try {
    return JSON.parse(bytes.toString('utf8'))
  } catch (error) {
    throw badParameter(
      `The request body is not valid JSON: ${error instanceof Error ? error.message : error}`,
    )
  }
}

async function readBytes(raw: IncomingMessage, maxBytes: number): Promise<Buffer> {
  const chunks: Buffer[] = []
  let size = 0
  for await (const chunk of bodyOf(raw)) {
    size += chunk.length
    if (size > maxBytes) throw badParameter(`The request body is larger than the allowed ${maxBytes} bytes`)
    chunks.push(chunk)
  }
  return Buffer.concat(chunks)
}
