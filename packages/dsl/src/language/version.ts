import { type DslError, logicError, type Place } from '../diagnostic.ts'
import type { PlanVersion } from '../plan/plan.ts'

/** `[1, 4]` for `cloudify_dsl_1_4`. */
export type Version = readonly [number, number]

/** docs/reference/language/README.md, "Versions" */
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
export function isTooNew(since: Version | undefined, gates: Version | null): since is Version {
  return since !== undefined && gates !== null && isOlder(gates, since)
}

type At = { readonly place: Place | null; readonly path: string; readonly value?: string }

export function tooNew(what: string, since: Version, gates: Version | null, at: At): DslError {
  const version = gates === null ? 'this version' : versionText(gates)
  return logicError(
    102,
    `${what} not supported in version ${version}, it was added in ${versionText(since)}.`,
    {
      ...at,
      expected: `tosca_definitions_version: ${versionText(since)} or newer`,
    },
  )
}

export function checkSince(what: string, since: Version | undefined, gates: Version | null, at: At): void {
  if (isTooNew(since, gates)) throw tooNew(what, since, gates, at)
}
