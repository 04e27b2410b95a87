import { logicError, type Place } from '../diagnostic.ts'
import type { PlanVersion } from '../plan/plan.ts'

/** `[1, 4]` for `cloudify_dsl_1_4`. */
export type Version = readonly [number, number]

/** dsl.md 3 */
export const VERSIONS = [
  'cloudify_dsl_1_0',
  'cloudify_dsl_1_1',
  'cloudify_dsl_1_2',
  'cloudify_dsl_1_3',
  'cloudify_dsl_1_4',
  'cloudify_dsl_1_5',
] as const

export function isOlder(a: Version, b: Version): boolean {
  return a[0] !== b[0] ? a[0] < b[0] : a[1] < b[1]
}

export function versionText(version: Version): string {
  return `cloudify_dsl_${version[0]}_${version[1]}`
}

/** `1_4`, as in the names of files that exist for one version only. */
export function versionSuffix(version: Version): string {
  return `${version[0]}_${version[1]}`
}

export function readVersion(text: string, place: Place | null): PlanVersion {
  if (!(VERSIONS as readonly string[]).includes(text)) {
    throw logicError(
      29,
      `Unexpected tosca_definitions_version ${text}; supported are ${VERSIONS.join(', ')}.`,
      {
        place,
        path: 'tosca_definitions_version',
        value: text,
        expected: `one of ${VERSIONS.join(', ')}`,
      },
    )
  }
  const [major, minor] = text.slice('cloudify_dsl_'.length).split('_').map(Number)
  return { raw: text, definitions_name: 'cloudify_dsl', definitions_version: [major ?? 1, minor ?? 0] }
}

/** A feature is gated by the version of the main file only, imported files included. */
export function checkSince(
  what: string,
  since: Version | undefined,
  version: Version | null,
  at: { readonly place: Place | null; readonly path: string; readonly value?: string },
): void {
  if (since === undefined || version === null || !isOlder(version, since)) return
  throw logicError(
    102,
    `${what} not supported in version ${versionText(version)}, it was added in ${versionText(since)}.`,
    { ...at, expected: `tosca_definitions_version: ${versionText(since)} or newer` },
  )
}
