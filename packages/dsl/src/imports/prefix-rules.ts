/**
 * One rule of the manager's import resolver: PREFIX → REPLACEMENT (docs/reference/language/imports.md, "Prefix rules").
 */
export type PrefixRule = readonly [prefix: string, replacement: string]

/** What to try for a remote location: each matching rule in order, then the location itself if `fallback`. */
export function prefixRuleCandidates(
  location: string,
  rules: readonly PrefixRule[],
  fallback: boolean,
): readonly string[] {
  const replaced = rules
    .filter(([prefix]) => location.startsWith(prefix))
    .map(([prefix, replacement]) => `${replacement}${location.slice(prefix.length)}`)
  return fallback || replaced.length === 0 ? [...replaced, location] : replaced
}

/** Releases whose types files blueprints still name by URL (docs/reference/language/imports.md, "Prefix rules"). */
const OLD_RELEASES = [
  '4.3.3',
  '4.4',
  '4.5',
  '4.5.5',
  '4.6',
  '5.0.5',
  '5.1.0',
  '5.1.1',
  '5.2.0',
  '6.1.0',
  '6.2.0',
  '6.3.0',
  '6.3.1',
]

/**
 * The types file that stands for `https://cloudify.co/spec/cloudify/RELEASE/types.yaml` and its like, as a path
 * below the resource root; null for any other URL. Needs no network.
 */
export function typesFileOfUrl(url: string): string | null {
  const match =
    /^https?:\/\/(?:www\.)?(?:getcloudify\.org|cloudify\.co)\/spec\/cloudify\/([^/]+)\/types\.yaml$/.exec(url)
  const release = match?.[1]
  if (release === undefined) return null
  return OLD_RELEASES.includes(release) ? 'cloudify/types/types_1_3.yaml' : 'cloudify/types/types.yaml'
}
