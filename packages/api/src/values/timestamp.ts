import { badParameter } from '../errors/messages.ts'

/** `YYYY-MM-DDTHH:MM:SS.mmmZ`, the form of every date in answers (docs/reference/rest-conventions.md, "Dates"). */
export const formatTimestamp = (time: Date): string => time.toISOString()

const form =
  /^(\d{4})-(\d{2})-(\d{2})(?:[T ](\d{2}):(\d{2})(?::(\d{2})(?:\.(\d{1,9}))?)?\s*(Z|[+-]\d{2}:?\d{2})?)?$/i

/**
 * A date as clients send it: ISO 8601 or with a space, down to whole days; without a zone it is UTC
 * (docs/reference/rest-conventions.md, "Dates").
 *
 * @throws bad_parameters_error `… is not a legal time format`
 */
export function parseTimestamp(text: string): Date {
  const match = form.exec(text.trim())
  if (match === null) throw illegalTime(text)
  const [, year, month, day, hour = '00', minute = '00', second = '00', fraction = '', zone = 'Z'] = match
  const milliseconds = fraction.slice(0, 3).padEnd(3, '0')
  const offset = zone.toUpperCase() === 'Z' ? 'Z' : `${zone.slice(0, 3)}:${zone.slice(-2)}`
  const time = new Date(`${year}-${month}-${day}T${hour}:${minute}:${second}.${milliseconds}${offset}`)
  // JavaScript rolls 30 February over to March; a client means no such day.
  const days = new Date(Date.UTC(Number(year), Number(month), 0)).getUTCDate()
  if (Number.isNaN(time.getTime()) || Number(day) > days) throw illegalTime(text)
  return time
}

const illegalTime = (text: string) =>
  badParameter(`${text} is not a legal time format`, { hint: 'Write it like 2026-11-21T10:30:00.000Z' })
