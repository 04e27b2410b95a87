import { DslError, logicError } from '../diagnostic.ts'
import type { Conversion, YamlMap, YamlNode } from '../yaml/node.ts'
import { givenMap } from '../yaml/node.ts'
import type { Version } from './version.ts'

/** What every element is built from. */
export type Build = {
  /** All files merged into one mapping of sections. */
  readonly document: YamlMap
  readonly mainVersion: Version
  /** Null when the gates are off. */
  readonly gates: Version | null
  /** Paths below the main file's folder. */
  readonly files: ReadonlySet<string>
  readonly now: Date
  readonly conversion: Conversion
  readonly problems: Problems
  /** What is made from the same parts is made once: most templates add nothing to their type's operations. */
  readonly memo: Map<object, Map<string, unknown>>
}

/** The value made from `part` under `name`, from the second time on without making it again. */
export function once<T>(build: Build, name: string, part: object, make: () => T): T {
  let made = build.memo.get(part)
  if (made === undefined) {
    made = new Map()
    build.memo.set(part, made)
  } else if (made.has(name)) return made.get(name) as T
  const value = make()
  made.set(name, value)
  return value
}

/** Collects what is wrong, once for each element: what only follows from a reported problem is not reported. */
export type Problems = {
  readonly errors: DslError[]
  readonly warnings: DslError[]
  /** Elements (`section.name`) that are not to be built, having been reported. */
  readonly broken: Set<string>
}

export function newProblems(): Problems {
  return { errors: [], warnings: [], broken: new Set() }
}

/** Thrown where an element needs another that is broken and has been reported already. */
class Consequence extends Error {}

/** Runs one independent piece of work; its error is collected and the others go on. */
export function attempt<T>(build: Build, work: () => T): T | null {
  try {
    return work()
  } catch (error) {
    if (error instanceof Consequence) return null
    if (!(error instanceof DslError)) throw error
    build.problems.errors.push(error)
    return null
  }
}

export function section(build: Build, name: string): YamlMap | undefined {
  return givenMap(build.document, name)
}

export function sectionEntries(build: Build, name: string): readonly (readonly [string, YamlNode])[] {
  return [...(section(build, name)?.entries ?? [])].map(([key, { value }]) => [key, value] as const)
}

/** Definitions that build on one another, far below what a stack holds. */
const MAX_DERIVATION = 200

/** A lookup that builds each element once, on demand, and notices circles. */
export type Definitions<T> = {
  /** Throws what is wrong with the element on the first call, and nothing new afterwards. */
  readonly get: (name: string) => T
  readonly has: (name: string) => boolean
  readonly names: () => readonly string[]
}

export function definitionsOf<T>(
  build: Build,
  sectionName: string,
  make: (name: string, node: YamlMap) => T,
  circle: (names: readonly string[]) => DslError,
): Definitions<T> {
  const entries = section(build, sectionName)?.entries ?? new Map()
  const made = new Map<string, T>()
  const failed = new Set<string>()
  const underway: string[] = []
  return {
    has: (name) => entries.has(name),
    names: () => [...entries.keys()],
    get(name) {
      const known = made.get(name)
      if (known !== undefined) return known
      const entry = entries.get(name)
      if (entry === undefined) throw new Error(`${sectionName} has no ${name}: ask 'has' first`)
      if (failed.has(name) || build.problems.broken.has(`${sectionName}.${name}`)) throw new Consequence()
      const since = underway.indexOf(name)
      if (underway.length > MAX_DERIVATION) {
        throw logicError(100, `${name} is derived through more than ${MAX_DERIVATION} others.`, {
          path: `${sectionName}.${name}`,
        })
      }
      if (since !== -1) throw circle([...underway.slice(since), name])
      underway.push(name)
      try {
        const node: YamlMap =
          entry.value.kind === 'map' ? entry.value : { ...entry.key, kind: 'map', entries: new Map() }
        const element = make(name, node)
        made.set(name, element)
        return element
      } catch (error) {
        failed.add(name)
        throw error
      } finally {
        underway.pop()
      }
    },
  }
}
