import type { Version } from './version.ts'

/**
 * The language as data. Every element declares the shape of what an author may write; one walk checks it
 * (`check.ts`), another puts it under a namespace (`../imports/namespace.ts`).
 */
export type Shape =
  | { readonly kind: 'scalar'; readonly types: readonly ScalarType[]; readonly refers?: Reference }
  /** Any value; functions in it are found by themselves. */
  | { readonly kind: 'anything'; readonly texts?: Reference }
  /** A dict or a list, whatever is in it. */
  | { readonly kind: 'collection' }
  | { readonly kind: 'list'; readonly of: Shape; readonly atLeast?: { count: number; message: string } }
  /** Names of the author's choice. `defines`: they are put under the namespace. */
  | { readonly kind: 'map'; readonly of: Shape; readonly defines?: boolean }
  /** A fixed set of keys. */
  | { readonly kind: 'record'; readonly fields: { readonly [key: string]: Field } }
  /** By the kind of the value that stands there. */
  | { readonly kind: 'either'; readonly text: Shape; readonly map: Shape }

export type ScalarType = 'string' | 'integer' | 'float' | 'boolean'

export type Field = {
  readonly shape: Shape
  readonly required?: boolean
  readonly since?: Version
}

/** What a text refers to decides how it is put under a namespace (docs/reference/language/imports.md, "Namespaces"). */
export type Reference = 'name' | 'type' | 'implementation'

export const anything: Shape = { kind: 'anything' }
export const text: Shape = { kind: 'scalar', types: ['string'] }
export const integer: Shape = { kind: 'scalar', types: ['integer'] }
export const number: Shape = { kind: 'scalar', types: ['integer', 'float'] }
export const boolean: Shape = { kind: 'scalar', types: ['boolean'] }
/** The name of something defined elsewhere in the blueprint. */
export const nameOf: Shape = { kind: 'scalar', types: ['string'], refers: 'name' }
/** The type of a property: primitive, or a data type's name. */
export const typeOf: Shape = { kind: 'scalar', types: ['string'], refers: 'type' }
export const implementation: Shape = { kind: 'scalar', types: ['string'], refers: 'implementation' }

export function list(of: Shape, atLeast?: { count: number; message: string }): Shape {
  return atLeast === undefined ? { kind: 'list', of } : { kind: 'list', of, atLeast }
}

/** Author's names to values. */
export function map(of: Shape): Shape {
  return { kind: 'map', of }
}

/** Author's names to values, where the names are definitions that others refer to. */
export function definitions(of: Shape): Shape {
  return { kind: 'map', of, defines: true }
}

export function record(fields: { readonly [key: string]: Field }): Shape {
  return { kind: 'record', fields }
}

export function optional(shape: Shape, since?: Version): Field {
  return since === undefined ? { shape } : { shape, since }
}

export function required(shape: Shape): Field {
  return { shape, required: true }
}
