import { constants } from 'node:fs'
import { open } from 'node:fs/promises'
import {
  type ErrorCause,
  type JsonObject,
  type JsonValue,
  nonRecoverable,
  type OperationOutcome,
} from './outcome.ts'

/** A result is stored in the operation's row and shown in an event: more is a mistake, and would cost all others. */
export const outputLimitBytes = 16 * 1024 * 1024

/** As deep as a request's body may be: whoever shows, stores or compares a deeper one runs out of stack. */
const maxNesting = 500

/** The answer in an operation's `output.json` (docs/reference/operations.md, "Process"), or why there is none. */
export async function readOutput(
  file: string,
  taskName: string,
): Promise<OperationOutcome | { readonly missing: string }> {
  const text = await readBounded(file)
  if (text === null)
    return { missing: `${taskName} ended without an answer: its process wrote no output.json` }
  if (text === 'too large') {
    return nonRecoverable(
      `${taskName} answered more than ${outputLimitBytes / 1024 / 1024} MiB: return less, and keep data in files`,
    )
  }
  const output = parse(text)
  if (output !== null && isDeeper(output, maxNesting)) {
    return nonRecoverable(`${taskName} answered what is nested more than ${maxNesting} levels deep`)
  }
  if (output?.type === 'result') return { ok: true, result: output.payload ?? null }
  if (output?.type === 'error' && isObject(output.payload)) return failure(output.payload)
  return { missing: `${taskName} answered what is not an answer: ${text.slice(0, 200)}` }
}

/** Not through a link, which could lead anywhere: the file was written by code that is not ours. */
async function readBounded(file: string): Promise<string | null> {
  let handle: Awaited<ReturnType<typeof open>>
  try {
    // Nor is anything waited for: it may be a pipe that nobody ever writes to.
    handle = await open(file, constants.O_RDONLY | constants.O_NOFOLLOW | constants.O_NONBLOCK)
  } catch {
    return null
  }
  try {
    const stat = await handle.stat()
    // A second name may be one of a file that its user cannot read.
    if (!stat.isFile() || stat.nlink > 1) return null
    return stat.size > outputLimitBytes ? 'too large' : await handle.readFile('utf8')
  } finally {
    await handle.close()
  }
}

function parse(text: string): JsonObject | null {
  try {
    const value: JsonValue = JSON.parse(text)
    return isObject(value) ? value : null
  } catch {
    return null
  }
}

/** The wire form of docs/reference/operations.md, "Errors on the wire", turned back into the class that it names. */
function failure(payload: JsonObject): OperationOutcome {
  const type = textOr(payload.exception_type, 'RecoverableError')
  const known = textOr(payload.known_exception_type, 'RecoverableError')
  const args = Array.isArray(payload.known_exception_type_args) ? payload.known_exception_type_args : []
  const kwargs = isObject(payload.known_exception_type_kwargs) ? payload.known_exception_type_kwargs : {}
  const kind = kindOf(known)
  const retryAfter = kind === 'non-recoverable' ? null : seconds(args[0])
  const message = messageOf(textOr(payload.message, ''), known, args, retryAfter)
  const traceback = typeof payload.traceback === 'string' ? payload.traceback : null
  const given = Array.isArray(kwargs.causes) ? kwargs.causes.flatMap(cause) : []
  return {
    ok: false,
    error: {
      kind,
      type,
      message,
      ...(retryAfter === null ? {} : { retryAfterMs: retryAfter * 1000 }),
      ...(traceback === null ? {} : { traceback }),
      causes: [...given, { message, type, traceback }],
    },
  }
}

function kindOf(known: string): 'recoverable' | 'retry' | 'non-recoverable' {
  if (known === 'OperationRetry') return 'retry'
  return known === 'NonRecoverableError' || known === 'HttpException' ? 'non-recoverable' : 'recoverable'
}

function messageOf(
  message: string,
  known: string,
  args: readonly JsonValue[],
  retryAfter: number | null,
): string {
  if (known === 'HttpException') return `${args[0]} (${args[1]}) : ${message}`
  return retryAfter === null ? message : `${message} [retry_after=${retryAfter}]`.trimStart()
}

function seconds(value: JsonValue | undefined): number | null {
  const number = typeof value === 'string' && value !== '' ? Number(value) : value
  return typeof number === 'number' && Number.isFinite(number) && number >= 0 ? number : null
}

function cause(value: JsonValue): ErrorCause[] {
  if (!isObject(value)) return []
  const { message, type, traceback } = value
  return [
    {
      message: textOr(message, ''),
      type: textOr(type, 'Exception'),
      traceback: typeof traceback === 'string' ? traceback : null,
    },
  ]
}

function textOr(value: JsonValue | undefined, otherwise: string): string {
  return typeof value === 'string' ? value : otherwise
}

function isDeeper(value: JsonValue, levels: number): boolean {
  if (typeof value !== 'object' || value === null) return false
  return levels === 0 || Object.values(value).some((item) => isDeeper(item, levels - 1))
}

function isObject(value: JsonValue | undefined): value is JsonObject {
  return typeof value === 'object' && value !== null && !Array.isArray(value)
}
