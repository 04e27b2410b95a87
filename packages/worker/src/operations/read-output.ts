import type { Journal } from './journal.ts'
import { isDeeper, maxNesting } from './nesting.ts'
import {
  type ErrorCause,
  type JsonObject,
  type JsonValue,
  nonRecoverable,
  type OperationOutcome,
} from './outcome.ts'
import { openWritten } from './written-file.ts'

/** A result is stored in the operation's row and shown in an event: more is a mistake, and would cost all others. */
export const outputLimitBytes = 16 * 1024 * 1024

/**
 * The answer in an operation's `output.json` (docs/reference/operations.md, "Process"), or why there is none. What the
 * operation has said stands before it.
 */
export async function readOutput(
  file: string,
  taskName: string,
  journal?: Pick<Journal, 'take'>,
): Promise<OperationOutcome | { readonly missing: string }> {
  const text = await readBounded(file)
  if (text === null)
    return { missing: `${taskName} ended without an answer: its process wrote no output.json` }
  if (text === 'too large') {
    return nonRecoverable(
      `${taskName} answered more than ${outputLimitBytes / 1024 / 1024} MiB: return less, and keep data in files`,
    )
  }
  const answer = journal === undefined ? text : await journal.take(text)
  const output = parse(answer)
  if (output !== null && isDeeper(output, maxNesting)) {
    return nonRecoverable(`${taskName} answered what is nested more than ${maxNesting} levels deep`)
  }
  if (output?.type === 'result') return { ok: true, result: output.payload ?? null }
  if (output?.type === 'error' && isObject(output.payload)) return failure(output.payload)
  return { missing: `${taskName} answered what is not an answer: ${answer.slice(0, 200)}` }
}

async function readBounded(file: string): Promise<string | null> {
  const written = await openWritten(file)
  if (written === null) return null
  try {
    return written.size > outputLimitBytes ? 'too large' : await written.handle.readFile('utf8')
  } finally {
    await written.handle.close()
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

function isObject(value: JsonValue | undefined): value is JsonObject {
  return typeof value === 'object' && value !== null && !Array.isArray(value)
}
