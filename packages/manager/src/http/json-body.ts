import type { IncomingMessage } from 'node:http'
import { badParameter, unsupportedContentType } from '@tutti/api'
import { readBytes } from './body.ts'

/**
 * Reads a JSON body. None at all is undefined, whatever the content type says: the Python client names
 * `application/json` on every request, with or without a body (docs/reference/rest-conventions.md, "Requests").
 *
 * @throws unsupported_content_type_error, bad_parameters_error
 */
export async function readJsonBody(raw: IncomingMessage, maxBytes: number): Promise<unknown> {
  const bytes = await readBytes(
    raw,
    maxBytes,
    `The request body is larger than the allowed ${maxBytes} bytes`,
  )
  if (bytes.length === 0) return undefined
  const contentType = raw.headers['content-type']
  if (contentType === undefined || !/^application\/json\s*(;|$)/i.test(contentType)) {
    throw unsupportedContentType(contentType)
  }
  checkNesting(bytes)
  try {
    return JSON.parse(bytes.toString('utf8'))
  } catch (error) {
    throw badParameter(
      `The request body is not valid JSON: ${error instanceof Error ? error.message : error}`,
    )
  }
}

/** Far beyond what people write, and far below what overflows the stack of those who walk through it. */
const maxNesting = 500

const [quote, backslash, openBrace, closeBrace, openBracket, closeBracket] = Buffer.from('"\\{}[]')

/** Counts brackets outside of texts; what is no JSON at all is the parser's to refuse. */
function checkNesting(bytes: Buffer): void {
  let [depth, isText] = [0, false]
  for (let at = 0; at < bytes.length; at += 1) {
    const byte = bytes[at]
    if (byte === quote) isText = !isText
    else if (isText) {
      if (byte === backslash) at += 1
    } else if (byte === openBrace || byte === openBracket) {
      depth += 1
      if (depth > maxNesting) {
        throw badParameter(`The request body is nested more than ${maxNesting} levels deep`)
      }
    } else if (byte === closeBrace || byte === closeBracket) depth -= 1
  }
}
