import { compare, explain, satisfies } from '@renovatebot/pep440'

/** Longer than any version that people write. */
const longest = 200

/** A version of PEP 440 taken apart, or null. */
const explained = (text: string) => (text.length > longest ? null : explain(text.trim()))

/** Order of two versions; those that are none of PEP 440 come first, by text. */
export function compareVersions(a: string, b: string): number {
  const [left, right] = [explained(a), explained(b)]
  if (left !== null && right !== null) return compare(a.trim(), b.trim())
  if (left === right) return a < b ? -1 : a > b ? 1 : 0
  return left === null ? -1 : 1
}

/**
 * Whether a version satisfies every specifier, e.g. `>=1.2` (docs/reference/language/imports.md, "Plugin imports"). One
 * without an operator means exactly this text. Pre-releases fit only where a specifier names one.
 */
export function matchesSpecifiers(version: string, specifiers: readonly string[]): boolean {
  const all = specifiers.map((specifier) => specifier.trim())
  const isPre = explained(version)?.is_prerelease ?? false
  if (isPre && !all.some(namesPreRelease) && all.some((specifier) => OPERATOR.test(specifier))) return false
  return all.every((specifier) => matches(version, specifier))
}

/** What is merely excluded or bounded from one side does not ask for pre-releases. */
const namesPreRelease = (specifier: string): boolean =>
  /^(?:===|~=|==|<=|>=|[^=!<>~])/.test(specifier) &&
  (explained(specifier.replace(/^[=!<>~]+/, ''))?.is_prerelease ?? false)

const OPERATOR = /^(===|~=|==|!=|<=|>=|<|>)/

function matches(version: string, specifier: string): boolean {
  const operator = OPERATOR.exec(specifier)?.[1] ?? '==='
  if (operator === '===') return version === specifier.replace(OPERATOR, '').trim()
  if (explained(version) === null || specifier.length > longest) return false
  return satisfies(version.trim(), specifier, { prereleases: true })
}

/** The highest version that fits, or null (docs/reference/language/imports.md, "Plugin imports"). */
export function newestMatching(versions: readonly string[], specifiers: readonly string[]): string | null {
  return versions
    .filter((version) => matchesSpecifiers(version, specifiers))
    .reduce<string | null>(
      (best, version) => (best === null || compareVersions(version, best) > 0 ? version : best),
      null,
    )
}
