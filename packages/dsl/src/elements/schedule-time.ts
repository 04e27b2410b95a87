/** A span such as `+1y+2mo`, by unit (docs/reference/language/workflows-and-settings.md, "Default schedules"). */
export type TimeDelta = { readonly [unit in Unit]?: number }

type Unit = 'minutes' | 'hours' | 'days' | 'weeks' | 'months' | 'years'

const UNITS: { readonly [written: string]: Unit } = {
  minute: 'minutes',
  min: 'minutes',
  hour: 'hours',
  h: 'hours',
  day: 'days',
  d: 'days',
  week: 'weeks',
  w: 'weeks',
  month: 'months',
  mo: 'months',
  year: 'years',
  y: 'years',
}

/** Null when the text is none. A space before each further `+` is fine. */
export function parseTimeDelta(text: string): TimeDelta | null {
  if (!/^(?:\+\d+ ?[a-z]+\s*)+$/.test(text.trim())) return null
  const delta: { [unit in Unit]?: number } = {}
  for (const [, count, word] of text.matchAll(/\+(\d+) ?([a-z]+)/g)) {
    const written = word ?? ''
    const unit = UNITS[written] ?? UNITS[written.replace(/s$/, '')]
    if (unit === undefined) return null
    delta[unit] = (delta[unit] ?? 0) + Number(count)
  }
  return delta
}

/** Month arithmetic keeps the day number; an overflow rolls into the following month. */
export function addTimeDelta(start: Date, delta: TimeDelta): Date {
  const date = new Date(start)
  date.setUTCFullYear(date.getUTCFullYear() + (delta.years ?? 0), date.getUTCMonth() + (delta.months ?? 0))
  date.setUTCDate(date.getUTCDate() + (delta.weeks ?? 0) * 7 + (delta.days ?? 0))
  date.setUTCHours(date.getUTCHours() + (delta.hours ?? 0), date.getUTCMinutes() + (delta.minutes ?? 0))
  return date
}

/** `since` or `until`: relative ones stay text, absolute ones become `YYYY-MM-DD HH:MM:SS` in UTC. */
export function scheduleTime(
  text: string,
  timezone: string,
  now: Date,
): { readonly time: string } | { readonly problem: string } {
  if (text.startsWith('+')) {
    return parseTimeDelta(text) === null ? { problem: `'${text}' is not a legal time delta` } : { time: text }
  }
  const zone = zoneOf(timezone)
  if (zone === null) return { problem: `'${timezone}' is not a known time zone` }
  const parts = /^(?:(\d{4})-(\d{1,2})-(\d{1,2}) )?(\d{1,2}):(\d{1,2})$/.exec(text)
  if (parts === null) return { problem: `'${text}' is not a legal time format` }
  const [year, month, day, hour, minute] = parts
    .slice(1)
    .map((part) => (part === undefined ? null : Number(part)))
  const today = localParts(zone, now)
  const wall = Date.UTC(
    year ?? today.year,
    (month ?? today.month) - 1,
    day ?? today.day,
    hour ?? 0,
    minute ?? 0,
  )
  const back = new Date(wall)
  if ((day ?? today.day) !== back.getUTCDate() || (hour ?? 0) > 23 || (minute ?? 0) > 59) {
    return { problem: `'${text}' is not a legal time` }
  }
  return { time: utcText(new Date(wall - offsetMs(zone, wall))) }
}

/** `YYYY-MM-DD HH:MM:SS` in UTC. */
export function utcText(date: Date): string {
  return date.toISOString().slice(0, 19).replace('T', ' ')
}

function zoneOf(timezone: string): Intl.DateTimeFormat | null {
  try {
    return new Intl.DateTimeFormat('en-US', {
      timeZone: timezone,
      hourCycle: 'h23',
      year: 'numeric',
      month: 'numeric',
      day: 'numeric',
      hour: 'numeric',
      minute: 'numeric',
      second: 'numeric',
    })
  } catch (error) {
    if (error instanceof RangeError) return null
    throw error
  }
}

function localParts(
  zone: Intl.DateTimeFormat,
  at: Date,
): { [part: string]: number } & Record<'year' | 'month' | 'day', number> {
  const parts: { [part: string]: number } = {}
  for (const { type, value } of zone.formatToParts(at)) if (type !== 'literal') parts[type] = Number(value)
  return parts as { [part: string]: number } & Record<'year' | 'month' | 'day', number>
}

/** How far the zone's wall clock is ahead of UTC when it shows `wall`. */
function offsetMs(zone: Intl.DateTimeFormat, wall: number): number {
  const at = (utc: number): number => {
    const p = localParts(zone, new Date(utc))
    return Date.UTC(p.year, p.month - 1, p.day, p.hour ?? 0, p.minute ?? 0, p.second ?? 0) - utc
  }
  return at(wall - at(wall))
}
