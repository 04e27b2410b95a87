import type { JsonList, JsonObject } from '../json.ts'

/**
 * One candidate of one import (docs/reference/language/imports.md, "Locations"). The language decides what to try and
 * in which order; the resolver answers for this candidate alone.
 *
 * - `file`: a `file:` address; not normalised (`file:/bp/./a.yaml` is possible).
 * - `resource`: a path below the manager's resource root, e.g. `cloudify/types/types_1_4.yaml`.
 * - `url`: `http:`, `https:` or `ftp:`. Prefix rules of the manager (`prefixRuleCandidates`) apply to it, and
 *   to `file` when `remote` is set.
 * - `plugin`: every specifier must hold; see `newestMatching` and `choosePluginFile`.
 * - `blueprint`: the main file of that blueprint; its own imports come as further requests, relative to the
 *   address that the answer gives.
 */
export type ImportRequest =
  | { readonly kind: 'file'; readonly address: string; readonly remote: boolean }
  | { readonly kind: 'resource'; readonly path: string }
  | { readonly kind: 'url'; readonly url: string }
  | {
      readonly kind: 'plugin'
      /** The import as written, without namespace. */
      readonly location: string
      readonly name: string
      readonly versions: readonly string[]
      readonly distribution: string | null
      /** Main file's `tosca_definitions_version`, which decides among the plugin's YAML files. */
      readonly mainVersion: readonly [number, number]
    }
  | { readonly kind: 'blueprint'; readonly id: string }

export type ResolvedImport = {
  /** Canonical address: shown in messages, and the base of relative imports inside. */
  readonly address: string
  readonly text: string
  /**
   * For `plugin`: what is stored with the plugin record replaces those sections of its YAML
   * (docs/reference/language/imports.md, "Plugin imports").
   */
  readonly stored?: {
    readonly labels?: { readonly [key: string]: JsonList }
    readonly blueprint_labels?: { readonly [key: string]: JsonList }
    readonly resource_tags?: JsonObject
  }
}

/** The text at one candidate, or null when there is nothing. Throws `ImportFailure` for anything else. */
export type ImportResolver = (request: ImportRequest) => Promise<ResolvedImport | null>

/** Unreachable, refused, not visible, … The message is shown to the author. */
export class ImportFailure extends Error {
  constructor(message: string) {
    super(message)
    this.name = 'ImportFailure'
  }
}
