import { badParameter } from '../errors/messages.ts'

export type EventKind = 'event' | 'log'

/** `svc_*` is the specification's, `cloudify_*` what older clients ask with and expect back. */
export const eventVocabularies = ['svc', 'cloudify'] as const
export type EventVocabulary = (typeof eventVocabularies)[number]

const types: Readonly<Record<EventVocabulary, Readonly<Record<EventKind, string>>>> = {
  svc: { event: 'svc_event', log: 'svc_log' },
  cloudify: { event: 'cloudify_event', log: 'cloudify_log' },
}

export const eventTypeName = (kind: EventKind, vocabulary: EventVocabulary): string => types[vocabulary][kind]

export type EventSelection = {
  readonly kinds: readonly EventKind[]
  readonly vocabulary: EventVocabulary
}

/**
 * What the values of a `type` filter select, and in which words to answer: those of the request, and `unnamed` when it
 * names none. No type selects both kinds. `include_logs` adds logs, `false` keeps them out when no type is named.
 *
 * @throws bad_parameters_error for any other type
 */
export function parseEventTypes(
  names: readonly string[],
  includeLogs?: boolean,
  unnamed: EventVocabulary = 'svc',
): EventSelection {
  const asked = names.map(parseEventType)
  const kinds = new Set<EventKind>(asked.length === 0 ? ['event', 'log'] : asked.map(({ kind }) => kind))
  if (includeLogs === true) kinds.add('log')
  if (includeLogs === false && asked.length === 0) kinds.delete('log')
  const isOld = asked.some(({ vocabulary }) => vocabulary === 'cloudify')
  return { kinds: [...kinds], vocabulary: isOld ? 'cloudify' : asked.length > 0 ? 'svc' : unnamed }
}

function parseEventType(name: string): { kind: EventKind; vocabulary: EventVocabulary } {
  for (const vocabulary of eventVocabularies) {
    for (const kind of ['event', 'log'] as const) {
      if (types[vocabulary][kind] === name) return { kind, vocabulary }
    }
  }
  throw badParameter(
    `Unknown event type: ${name}. Allowed values are: svc_event, svc_log, cloudify_event, cloudify_log`,
  )
}
