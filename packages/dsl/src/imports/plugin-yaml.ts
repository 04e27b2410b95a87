import { isOlder, type Version } from '../language/version.ts'

/**
 * Which of a plugin's YAML files serves a blueprint of this version (dsl.md 5.4): the one made for it, else the
 * newest that is not newer, else the first without a version in its name. Null when there is none.
 */
export function choosePluginFile(names: readonly string[], mainVersion: Version): string | null {
  const versioned: { readonly name: string; readonly version: Version }[] = []
  const plain: string[] = []
  for (const name of names) {
    const match = /_(\d+)_(\d+)\.ya?ml$/.exec(name)
    if (match !== null) versioned.push({ name, version: [Number(match[1]), Number(match[2])] })
    else if (/\.ya?ml$/.test(name)) plain.push(name)
  }
  const fitting = versioned
    .filter(({ version }) => !isOlder(mainVersion, version))
    .sort((a, b) => (isOlder(a.version, b.version) ? 1 : isOlder(b.version, a.version) ? -1 : 0))
  return fitting[0]?.name ?? plain[0] ?? null
}
