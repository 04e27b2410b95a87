/**
 * Error classes of docs/reference/language/errors.md. The first four make a blueprint `invalid`, the rest
 * `failed_parsing`.
 */
export type ErrorClass =
  | 'DSLParsingException'
  | 'DSLParsingFormatException'
  | 'DSLParsingLogicException'
  | 'DSLParsingInputTypeException'
  | 'InvalidBlueprintImport'
  | 'ConstraintException'
  | 'UnknownInputError'
  | 'MissingRequiredInputError'
  | 'InputEvaluationError'
  | 'FunctionEvaluationError'
  | 'FunctionValidationError'
  | 'UnknownSysEntityError'
  | 'UnknownSysPropertyError'
  | 'UnknownSecretError'
  | 'UnsupportedGetSecretError'
  | 'EvaluationRecursionLimitReached'
  | 'UnsupportedRelationship'
  | 'IllegalConnectedToConnectionType'
  | 'UnsupportedAllToOneInGroup'
  | 'IllegalAllToOneState'
  | 'NonRecoverableError'
  | 'ValueError'
  | 'KeyError'

/** One problem of a blueprint: what, where, why, and what may have been meant. */
export type Diagnostic = {
  readonly errorClass: ErrorClass
  /** Numeric code of docs/reference/language/errors.md; only DSL parsing errors have one. */
  readonly code: number | null
  readonly message: string
  /** Address of the file, or null when the problem belongs to no line. */
  readonly file: string | null
  /** From 1. */
  readonly line: number | null
  /** From 0. */
  readonly column: number | null
  /** Dotted path of the element, e.g. `node_templates.vm.type`. */
  readonly path: string
  /** The offending value in short text. */
  readonly value?: string
  /** What would have been right here. */
  readonly expected?: string
  /** The nearest name that exists. */
  readonly suggestion?: string
  /** True: the blueprint becomes `invalid`; false: `failed_parsing` (docs/reference/blueprints.md, "States"). */
  readonly isDslError: boolean
}

/** Where in a file; `null` for what has no place of its own. */
export type Place = {
  readonly file: string
  readonly line: number
  readonly column: number
}

export type ErrorDetails = {
  readonly code?: number
  readonly place?: Place | null
  readonly path?: string
  readonly value?: string
  readonly expected?: string
  readonly suggestion?: string | undefined
}

/** Anything that is wrong with a blueprint, an input or a function: a user's mistake, never ours. */
export class DslError extends Error {
  readonly errorClass: ErrorClass
  readonly code: number | null
  readonly details: ErrorDetails

  constructor(errorClass: ErrorClass, message: string, details: ErrorDetails = {}) {
    super(message)
    this.name = errorClass
    this.errorClass = errorClass
    this.code = details.code ?? null
    this.details = details
  }

  get isDslError(): boolean {
    return this.errorClass.startsWith('DSLParsing') || this.errorClass === 'InvalidBlueprintImport'
  }

  toDiagnostic(): Diagnostic {
    const { place, path, value, expected, suggestion } = this.details
    return {
      errorClass: this.errorClass,
      code: this.code,
      message: this.message,
      file: place?.file ?? null,
      line: place?.line ?? null,
      column: place?.column ?? null,
      path: path ?? '',
      ...(value === undefined ? {} : { value }),
      ...(expected === undefined ? {} : { expected }),
      ...(suggestion === undefined ? {} : { suggestion }),
      isDslError: this.isDslError,
    }
  }
}

/** Schema violations and malformed YAML (docs/reference/language/errors.md, *Format*). */
export function formatError(
  code: number,
  message: string,
  details: Omit<ErrorDetails, 'code'> = {},
): DslError {
  return new DslError('DSLParsingFormatException', message, { ...details, code })
}

/** Well-formed but meaningless (docs/reference/language/errors.md, *Logic*). */
export function logicError(
  code: number,
  message: string,
  details: Omit<ErrorDetails, 'code'> = {},
): DslError {
  return new DslError('DSLParsingLogicException', message, { ...details, code })
}

/**
 * The text of a diagnostic as the manager shows it: message, then file, position, path, value
 * (docs/reference/blueprints.md, "States").
 */
export function diagnosticText(diagnostic: Diagnostic): string {
  const lines = [diagnostic.message]
  if (diagnostic.suggestion !== undefined) lines.push(`  did you mean: ${diagnostic.suggestion}`)
  if (diagnostic.file !== null) lines.push(`  in: ${diagnostic.file}`)
  if (diagnostic.line !== null) lines.push(`  in line: ${diagnostic.line}, column: ${diagnostic.column}`)
  if (diagnostic.path !== '') lines.push(`  path: ${diagnostic.path}`)
  if (diagnostic.value !== undefined) lines.push(`  value: ${diagnostic.value}`)
  return lines.join('\n')
}
