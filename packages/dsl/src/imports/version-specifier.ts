/** A PEP 440 version taken apart; each part compares by number or by text. */
interface Pep440 {
  readonly epoch: number
  readonly release: readonly number[]
  readonly pre: readonly [phase: 'a' | 'b' | 'rc', number: number] | null
  readonly post: number | null
  readonly dev: number | null
  readonly local: string | null
}

const VERSION =
  /^v?(?:(\d+)!)?(\d+(?:\.\d+)*)(?:[-_.]?(a|alpha|b|beta|c|rc|pre|preview)[-_.]?(\d*))?(?:-(\d+)|[-_.]?(post|rev|r)[-_.]?(\d*))?(?:[-_.]?(dev)[-_.]?(\d*))?(?:\+([a-z0-9]+(?:[-_.][a-z0-9]+)*))?$/i

function parse(text: string): Pep440 | null {
  const match = VERSION.exec(text.trim())
  if (match === null) return null
  const [, epoch, release = '', phase, preNumber, dashPost, post, postNumber, dev, devNumber, local] = match
  return {
    epoch: Number(epoch ?? 0),
    release: release.split('.').map(Number),
    pre: phase === undefined ? null : [phaseOf(phase.toLowerCase()), Number(preNumber || 0)],
    post: dashPost !== undefined ? Number(dashPost) : post === undefined ? null : Number(postNumber || 0),
    dev: dev === undefined ? null : Number(devNumber || 0),
    local: local?.toLowerCase() ?? null,
  }
}

function phaseOf(phase: string): 'a' | 'b' | 'rc' {
  if (phase.startsWith('a')) return 'a'
  return phase.startsWith('b') ? 'b' : 'rc'
}

/** Development releases first, then a, b, rc, the release, post releases. */
function sortKey(version: Pep440): readonly number[] {
  const { pre, post, dev } = version
  const phase = pre === null ? (dev !== null && post === null ? -1 : 3) : { a: 0, b: 1, rc: 2 }[pre[0]]
  return [phase, pre?.[1] ?? 0, post ?? -1, dev ?? Number.POSITIVE_INFINITY]
}

function compareLists(a: readonly number[], b: readonly number[]): number {
  for (let index = 0; index < Math.max(a.length, b.length); index++) {
    const left = a[index] ?? 0
    const right = b[index] ?? 0
    if (left !== right) return left < right ? -1 : 1
  }
  return 0
}

function comparePublic(a: Pep440, b: Pep440): number {
  return a.epoch - b.epoch || compareLists(a.release, b.release) || compareLists(sortKey(a), sortKey(b))
}

function compareLocal(a: string | null, b: string | null): number {
  if (a === b) return 0
  if (a === null) return -1
  return b === null || a > b ? 1 : -1
}

/** Order of two versions; those that are none of PEP 440 come first, by text. */
export function compareVersions(a: string, b: string): number {
  const left = parse(a)
  const right = parse(b)
  if (left === null || right === null) {
    if (left === right) return a < b ? -1 : a > b ? 1 : 0
    return left === null ? -1 : 1
  }
  return comparePublic(left, right) || compareLocal(left.local, right.local)
}

/**
 * Whether a version satisfies every specifier, e.g. `>=1.2` (docs/reference/language/imports.md, "Plugin imports"). One
 * without an operator means exactly this text. Pre-releases fit only where a specifier names one.
 */
export function matchesSpecifiers(version: string, specifiers: readonly string[]): boolean {
  const parsed = parse(version)
  const isPre = parsed !== null && (parsed.pre !== null || parsed.dev !== null)
  const wantsPre = specifiers.some((specifier) => {
    if (!NAMES_VERSION.test(specifier.trim())) return false
    const wanted = parse(specifier.replace(/^[=!<>~]+/, '').trim())
    return wanted !== null && (wanted.pre !== null || wanted.dev !== null)
  })
  if (isPre && !wantsPre && specifiers.some((specifier) => OPERATOR.test(specifier))) return false
  return specifiers.every((specifier) => matches(version, parsed, specifier.trim()))
}

/** What is merely excluded or bounded from one side does not ask for pre-releases. */
const NAMES_VERSION = /^(?:===|~=|==|<=|>=|[^=!<>~])/

const OPERATOR = /^(===|~=|==|!=|<=|>=|<|>)/

function matches(text: string, version: Pep440 | null, specifier: string): boolean {
  const operator = OPERATOR.exec(specifier)?.[1] ?? '==='
  const wantedText = specifier.replace(OPERATOR, '').trim()
  if (operator === '===') return text === wantedText
  if (version === null) return false
  if (wantedText.endsWith('.*')) {
    return (operator === '==' || operator === '!=') && isPrefix(wantedText, version) === (operator === '==')
  }
  const wanted = parse(wantedText)
  if (wanted === null) return false
  const order = comparePublic(version, wanted)
  switch (operator) {
    case '==':
      return order === 0 && (wanted.local === null || wanted.local === version.local)
    case '!=':
      return order !== 0 || (wanted.local !== null && wanted.local !== version.local)
    case '<=':
      return order <= 0
    case '>=':
      return order >= 0
    case '<':
      // A pre-release of the wanted version is not "before" it.
      return order < 0 && (wanted.pre !== null || version.pre === null || !sameRelease(version, wanted))
    case '>':
      return order > 0 && (wanted.post !== null || version.post === null || !sameRelease(version, wanted))
    default:
      return order >= 0 && isPrefix(`${wanted.release.slice(0, -1).join('.')}.*`, version)
  }
}

function sameRelease(a: Pep440, b: Pep440): boolean {
  return a.epoch === b.epoch && compareLists(a.release, b.release) === 0
}

function isPrefix(wanted: string, version: Pep440): boolean {
  const prefix = parse(wanted.slice(0, -2))
  if (prefix === null || prefix.epoch !== version.epoch) return false
  return prefix.release.every((part, index) => (version.release[index] ?? 0) === part)
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
