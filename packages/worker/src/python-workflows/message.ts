import {
  type HandlerAnswer,
  isJsonObject,
  type JsonObject,
  type JsonValue,
  type OperationError,
} from '@tutti/engine'
import { bounds } from './bounds.ts'

/**
 * What a workflow's process says (docs/decisions/2026-11-22-python-workflows.md). What has an `id` is answered under it.
 */
export type Message =
  /** Tasks for the next message that takes them, in the order in which they are to stand. */
  | { readonly do: 'tasks'; readonly tasks: readonly JsonValue[] }
  | { readonly do: 'store'; readonly id: number; readonly name: string }
  | { readonly do: 'get'; readonly id: number; readonly name: string }
  /** A stored graph with the tasks that were described since, or a new one of these. */
  | {
      readonly do: 'run'
      readonly id: number
      readonly graph: string | null
      /** What tasks wait for now that were stored before. */
      readonly wired: ReadonlyMap<string, readonly string[]>
      readonly removed: readonly string[]
    }
  /** The one task that was described, on its own. */
  | { readonly do: 'one'; readonly id: number }
  | {
      readonly do: 'lifecycle'
      readonly id: number
      readonly name: string
      readonly lifecycle: 'install' | 'uninstall'
      readonly instanceIds: readonly string[]
      readonly relatedIds: readonly string[]
      readonly ignoreFailure: boolean
    }
  | { readonly do: 'workflow'; readonly id: number; readonly name: string; readonly parameters: JsonObject }
  | { readonly do: 'done'; readonly row: string; readonly outcome: Outcome }
  | { readonly do: 'answered'; readonly row: string; readonly answer: Answer }

type Outcome =
  | { readonly ok: true; readonly result: JsonValue }
  | { readonly ok: false; readonly error: OperationError }
/** `again`: the tasks that were described before are the new run of a subgraph. */
type Answer =
  | Exclude<HandlerAnswer, { action: 'retry' }>
  | (Omit<Retry, 'again'> & { readonly again: boolean })
type Retry = Extract<HandlerAnswer, { action: 'retry' }>

/** @throws Error at what is no message */
export function parseMessage(line: string): Message {
  const said: JsonValue = JSON.parse(line)
  if (!isJsonObject(said)) throw new Error('it is no object')
  if (isDeeper(said, bounds.nesting)) throw new Error(`it is nested more than ${bounds.nesting} levels deep`)
  const id = said.id
  const head = { id: typeof id === 'number' ? id : -1 }
  switch (said.do) {
    case 'tasks':
      return { do: 'tasks', tasks: listOf(said.tasks) }
    case 'store':
    case 'get':
      return { do: said.do, ...head, name: nameOf(said.name) }
    case 'run':
      return {
        do: 'run',
        ...head,
        graph: said.graph == null ? null : textOf(said.graph),
        wired: new Map(
          Object.entries(objectOf(said.wired ?? {})).map(([task, others]) => [task, textsOf(others)]),
        ),
        removed: textsOf(said.removed ?? []),
      }
    case 'one':
      return { do: 'one', ...head }
    case 'lifecycle':
      if (said.lifecycle !== 'install' && said.lifecycle !== 'uninstall') throw new Error('no such lifecycle')
      return {
        do: 'lifecycle',
        ...head,
        name: nameOf(said.name),
        lifecycle: said.lifecycle,
        instanceIds: textsOf(said.instances),
        relatedIds: textsOf(said.related),
        ignoreFailure: said.ignore_failure === true,
      }
    case 'workflow':
      return { do: 'workflow', ...head, name: nameOf(said.name), parameters: objectOf(said.parameters) }
    case 'done':
      return { do: 'done', row: textOf(said.row), outcome: outcomeOf(said) }
    case 'answered':
      return { do: 'answered', row: textOf(said.row), answer: answerOf(said) }
    default:
      throw new Error(`there is nothing to do like ${String(JSON.stringify(said.do)).slice(0, 50)}`)
  }
}

function outcomeOf(said: JsonObject): Outcome {
  if (said.ok === true) return { ok: true, result: said.result ?? null }
  const { kind, type, message, retry_after: after, traceback } = objectOf(said.error)
  if (kind !== 'recoverable' && kind !== 'retry' && kind !== 'non-recoverable')
    throw new Error('no such error')
  return {
    ok: false,
    error: {
      kind,
      type: textOf(type),
      message: textOf(message),
      ...(isDuration(after) && { retryAfterMs: after * 1000 }),
      ...(typeof traceback === 'string' && { traceback }),
    },
  }
}

function answerOf({ action, retry_after: after, ignore_total_retries: ignores, again }: JsonObject): Answer {
  if (action === 'done' || action === 'fail') return { action }
  if (action !== 'retry') throw new Error('no such answer')
  return {
    action,
    ignoresTotal: ignores === true,
    again: again === true,
    ...(isDuration(after) && { retryAfterMs: after * 1000 }),
  }
}

const isDuration = (value: JsonValue | undefined): value is number =>
  typeof value === 'number' && Number.isFinite(value) && value >= 0

/** As the API has names of graphs. */
function nameOf(value: JsonValue | undefined): string {
  const name = textOf(value)
  if (name === '' || name.length > 256) throw new Error('a name must have 1 to 256 characters')
  return name
}

function textOf(value: JsonValue | undefined): string {
  if (typeof value === 'string') return value
  throw new Error(`${String(JSON.stringify(value)).slice(0, 50)} is no text`)
}

function objectOf(value: JsonValue | undefined): JsonObject {
  if (isJsonObject(value)) return value
  throw new Error(`${String(JSON.stringify(value)).slice(0, 50)} is no object`)
}

function listOf(value: JsonValue | undefined): readonly JsonValue[] {
  if (Array.isArray(value)) return value
  throw new Error(`${String(JSON.stringify(value)).slice(0, 50)} is no list`)
}

const textsOf = (value: JsonValue | undefined): readonly string[] => listOf(value).map(textOf)

function isDeeper(value: JsonValue, levels: number): boolean {
  if (typeof value !== 'object' || value === null) return false
  return levels === 0 || Object.values(value).some((item) => isDeeper(item, levels - 1))
}
