import { badParameter } from '@tutti/api'
import { Filter, FilterParser } from 'ldapts'
import { escapeDnValue } from './dn.ts'

/** What stands in place of `{base_dn}` and the like; `username` is whatever somebody typed. */
export type Values = Readonly<Record<string, string>>

const placeholder = /\{([^{}]*)\}/g

/**
 * @param needed must occur: without it the same would be meant for everybody
 * @throws bad_parameters_error for a placeholder that has no meaning there
 */
export function checkPlaceholders(
  field: string,
  template: string,
  allowed: readonly string[],
  needed?: string,
): void {
  const named = [...template.matchAll(placeholder)].map(([, name]) => name ?? '')
  const wrong = named.filter((name) => !allowed.includes(name))
  if (wrong.length > 0 || /[{}]/.test(template.replaceAll(placeholder, ''))) {
    const what = wrong.length > 0 ? wrong.map((name) => `{${name}}`).join(', ') : 'a lone brace'
    throw badParameter(
      `${field} holds ${what}. Placeholders that may be used there: ${allowed.map((name) => `{${name}}`).join(', ')}`,
    )
  }
  if (needed !== undefined && !named.includes(needed)) {
    throw badParameter(`${field} must hold the placeholder {${needed}}`)
  }
}

/** @throws bad_parameters_error for what is no filter (RFC 4515) */
export function checkFilter(field: string, template: string): void {
  try {
    FilterParser.parseString(template.replaceAll(placeholder, 'x'))
  } catch (error) {
    throw badParameter(`${field} is no LDAP filter: ${error instanceof Error ? error.message : error}`)
  }
}

/** Values go into a filter as values: none of them can end, widen or add a condition. */
export const fillFilter = (template: string, values: Values): string =>
  fill(template, values, (_name, value) => Filter.escape(value))

/** Names of entries go in as they are, since they are names themselves; what a user typed is one value. */
export const fillDn = (template: string, values: Values): string =>
  fill(template, values, (name, value) => (name === 'username' ? escapeDnValue(value) : value))

/**
 * The name that somebody binds with: an entry's, or one such as `alice@example.org`. Nothing is escaped in the latter,
 * so only names without special characters fit in; undefined for others.
 */
export function fillBindName(template: string, values: Values): string | undefined {
  if (isDnTemplate(template)) return fillDn(template, values)
  if (!/^[\w.~-]+$/.test(values.username ?? '')) return undefined
  return fill(template, values, (_name, value) => value)
}

export const isDnTemplate = (template: string): boolean => template.includes('=')

function fill(template: string, values: Values, write: (name: string, value: string) => string): string {
  return template.replaceAll(placeholder, (_match, name: string) => write(name, values[name] ?? ''))
}
