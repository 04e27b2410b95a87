import { isIP } from 'node:net'
import { resolve } from 'node:path'
import { type ParseContext, wrongValue } from './setting.ts'

export const text = (given: string): string => given

export function path(given: string, { home, workingFolder }: ParseContext): string {
  const expanded = given === '~' || given.startsWith('~/') ? home + given.slice(1) : given
  return resolve(workingFolder, expanded)
}

export function integer(least: number, most: number) {
  return (given: string, context: ParseContext): number => {
    const value = Number(given)
    if (!/^\d+$/.test(given.trim()) || value < least || value > most) {
      throw wrongValue(context, given, `an integer from ${least} to ${most}`)
    }
    return value
  }
}

export function flag(given: string, context: ParseContext): boolean {
  const value = given.trim().toLowerCase()
  if (['true', '1', 'yes', 'on'].includes(value)) return true
  if (['false', '0', 'no', 'off', ''].includes(value)) return false
  throw wrongValue(context, given, 'true or false')
}

export function oneOf<Value extends string>(...values: readonly Value[]) {
  return (given: string, context: ParseContext): Value => {
    const found = values.find((value) => value === given.trim().toLowerCase())
    if (found === undefined) throw wrongValue(context, given, `one of ${values.join(', ')}`)
    return found
  }
}

export const list = (given: string): readonly string[] =>
  given
    .split(',')
    .map((item) => item.trim())
    .filter((item) => item !== '')

/** Addresses, with the number of leading bits where a whole network is meant. */
export function networks(given: string, context: ParseContext): readonly string[] {
  const all = list(given)
  const isNetwork = (one: string) => {
    const [address = '', bits, ...rest] = one.split('/')
    const most = isIP(address) === 4 ? 32 : isIP(address) === 6 ? 128 : -1
    return (
      most > 0 && rest.length === 0 && (bits === undefined || (/^\d+$/.test(bits) && Number(bits) <= most))
    )
  }
  if (all.every(isNetwork)) return all
  throw wrongValue(context, given, 'addresses or networks like 10.0.0.7,192.168.0.0/16')
}

const units = { '': 1, k: 2 ** 10, m: 2 ** 20, g: 2 ** 30 } as const

/** `64MiB`, `64M` or plain bytes. */
export function bytes(given: string, context: ParseContext): number {
  const match = /^(\d+)\s*([kmg]?)(i?b)?$/i.exec(given.trim())
  if (match === null) throw wrongValue(context, given, 'a size like 64MiB')
  const unit = (match[2] ?? '').toLowerCase() as keyof typeof units
  return Number(match[1]) * units[unit]
}

export function url(given: string, context: ParseContext): string {
  const parsed = URL.canParse(given) ? new URL(given) : undefined
  if (parsed === undefined || !['http:', 'https:'].includes(parsed.protocol)) {
    throw wrongValue(context, given, 'an address like http://127.0.0.1:8080')
  }
  return given.replace(/\/+$/, '')
}

/** User ids that no user of the machine has, like those of /etc/subuid; root is none of them. */
export function userIds(
  given: string,
  context: ParseContext,
): { readonly first: number; readonly last: number } {
  const [first = 0, last = 0] = (/^\s*(\d+)\s*-\s*(\d+)\s*$/.exec(given) ?? []).slice(1).map(Number)
  if (first >= 1000 && first < last && last < 2 ** 32 - 2) return { first, last }
  throw wrongValue(context, given, 'two user ids from 1000 on, like 200000-265535')
}

/** Names of environment variables, or their beginnings with `*`; none that holds a secret of Tutti's own. */
export function variableNames(given: string, context: ParseContext): readonly string[] {
  const names = list(given)
  const isUsable = (name: string) =>
    /^[A-Za-z_]\w*\*?$/.test(name) && !/^(T|TU|TUT|TUTT|TUTTI)\*$|^TUTTI_/i.test(name)
  if (names.every(isUsable)) return names
  throw wrongValue(context, given, 'names like AWS_*,OS_TOKEN, and none of TUTTI_*')
}
