import { badParameter, parseTimestamp } from '@tutti/api'

const units: readonly (readonly [RegExp, (time: Date, count: number) => void])[] = [
  [/^min(ute)?s?$/, (time, count) => time.setTime(time.getTime() + count * 60_000)],
  [/^h(our)?s?$/, (time, count) => time.setTime(time.getTime() + count * 3_600_000)],
  [/^d(ay)?s?$/, (time, count) => time.setTime(time.getTime() + count * 86_400_000)],
  [/^w(eek)?s?$/, (time, count) => time.setTime(time.getTime() + count * 604_800_000)],
  [/^mo(nth)?s?$/, addMonths],
  [/^y(ear)?s?$/, (time, count) => addMonths(time, count * 12)],
]

/**
 * When a token ends (docs/reference/access.md, "Tokens"): a date, a time of today (UTC), or one relative to now such as
 * `+10h`, `+30 minutes` or `+1day+10min`. Undefined: never.
 *
 * @throws bad_parameters_error
 */
export function parseExpiration(text: string | null | undefined, now: Date): Date | undefined {
  const given = text?.trim().toLowerCase() ?? ''
  if (given === '' || given === 'never') return undefined
  const time = given.startsWith('+') ? relativeTime(given, now) : absoluteTime(given, now)
  if (time.getTime() <= now.getTime()) throw badParameter('Expiration date was in the past.')
  return time
}

function absoluteTime(text: string, now: Date): Date {
  const isTimeOfDay = /^\d{1,2}:\d{2}$/.test(text)
  return parseTimestamp(isTimeOfDay ? `${now.toISOString().slice(0, 10)} ${text.padStart(5, '0')}` : text)
}

function relativeTime(text: string, now: Date): Date {
  if (!/^(\+\s*\d+\s*[a-z]+\s*)+$/.test(text)) throw illegal(text)
  const time = new Date(now)
  for (const [, count, name = ''] of text.matchAll(/\+\s*(\d+)\s*([a-z]+)/g)) {
    const unit = units.find(([pattern]) => pattern.test(name))
    if (unit === undefined) throw illegal(text)
    unit[1](time, Number(count))
  }
  // Beyond what a date can be, as the database understands it too.
  if (Number.isNaN(time.getTime()) || time.getUTCFullYear() > 9999) throw illegal(text)
  return time
}

/** The same day of a later month, or its last day where it is shorter. */
function addMonths(time: Date, count: number): void {
  const day = time.getUTCDate()
  time.setUTCDate(1)
  time.setUTCMonth(time.getUTCMonth() + count)
  const days = new Date(Date.UTC(time.getUTCFullYear(), time.getUTCMonth() + 1, 0)).getUTCDate()
  time.setUTCDate(Math.min(day, days))
}

function illegal(text: string) {
  return badParameter(`${text} is not a legal expiration date`, {
    hint: 'Write it like 2026-12-31 18:00, 18:00 (UTC), +10h, +30 minutes or +1day+10min',
  })
}
