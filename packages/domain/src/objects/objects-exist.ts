import type { Json, ObjectQuery } from '@tutti/dsl'
import type { Database, Scope } from '@tutti/storage'
import {
  hierarchyInBlueprint,
  hierarchyInDeployment,
  type Key,
  listBlueprints,
  listDeployments,
  type NamedWithin,
  namedInBlueprint,
  namedInDeployment,
  type Owner,
  secretExists,
} from './queries.ts'
import { passesFilter } from './stored-filter-queries.ts'

type NamePattern = NonNullable<ObjectQuery['constraints']['name_pattern']>

export type ObjectReader = {
  readonly db: Database
  readonly scope: Scope
  /** The blueprint that a deployment is being made from. */
  readonly blueprint: Key | null
  /** Values of a deployment's capabilities, by their names. */
  capabilities(deploymentId: string): Promise<{ readonly [name: string]: Json }>
}

/**
 * Whether inputs and parameters name what there is (docs/reference/language/constraints.md, "Objects"), for each
 * question. A list may hold thousands of names: those of one kind in one place are one query.
 */
export async function objectsExist(
  reader: ObjectReader,
  questions: readonly ObjectQuery[],
): Promise<readonly boolean[]> {
  const places = new Map<string, { readonly type: NamedWithin; readonly names: string[] }>()
  const placeOf = ({ type, deploymentId }: ObjectQuery) => JSON.stringify([type, deploymentId])
  for (const question of questions) {
    const { type, value } = question
    if (!isNamedWithin(type) || typeof value !== 'string') continue
    const place = places.get(placeOf(question)) ?? { type, names: [] }
    places.set(placeOf(question), place)
    place.names.push(value)
  }
  const found = new Map<string, ReadonlySet<string>>()
  for (const [key, { type, names }] of places) {
    const [, deploymentId] = JSON.parse(key) as [string, string | null]
    found.set(key, await namesThere(reader, type, deploymentId, names))
  }
  const answers: boolean[] = []
  for (const question of questions) {
    answers.push(await exists(reader, question, found.get(placeOf(question)) ?? new Set()))
  }
  return answers
}

function isNamedWithin(type: ObjectQuery['type']): type is NamedWithin {
  return ['scaling_group', 'node_id', 'node_type', 'node_instance', 'operation_name'].includes(type)
}

async function namesThere(
  { db, scope, blueprint }: ObjectReader,
  type: NamedWithin,
  deploymentId: string | null,
  names: readonly string[],
): Promise<ReadonlySet<string>> {
  if (deploymentId !== null) {
    const [deployment] = await listDeployments(db, scope, deploymentId)
    if (deployment === undefined) return new Set()
    return namedInDeployment(db, { tenantId: deployment.tenantId, id: deploymentId }, type, names)
  }
  if (blueprint === null || type === 'node_instance') return new Set()
  return namedInBlueprint(db, blueprint, type, names)
}

async function exists(
  reader: ObjectReader,
  question: ObjectQuery,
  there: ReadonlySet<string>,
): Promise<boolean> {
  const { type, value, constraints } = question
  const { db, scope } = reader
  if (type === 'node_type') return isNodeType(reader, question, there)
  if (constraints.valid_values?.some((valid) => sameValue(valid, value)) === false) return false
  if (type === 'capability_value') return isCapabilityValue(reader, question)
  if (typeof value !== 'string') return false
  switch (type) {
    case 'secret_key':
      return fitsPattern(value, constraints.name_pattern) && secretExists(db, scope, value)
    case 'blueprint_id':
    case 'deployment_id': {
      const owners = await (type === 'blueprint_id' ? listBlueprints : listDeployments)(db, scope, value)
      const found = owners.find((owner) => satisfies(owner, constraints))
      if (found === undefined || constraints.filter_id === undefined) return found !== undefined
      return passesFilter(db, scope, type, { tenantId: found.tenantId, id: value }, constraints.filter_id)
    }
    default:
      return there.has(value) && fitsPattern(value, constraints.name_pattern)
  }
}

/** A type stands for those derived from it: one of these types, or of a node whose type has one of them above it. */
async function isNodeType(
  reader: ObjectReader,
  { value, deploymentId, constraints }: ObjectQuery,
  there: ReadonlySet<string>,
): Promise<boolean> {
  if (typeof value !== 'string' || !there.has(value)) return false
  if (!fitsPattern(value, constraints.name_pattern)) return false
  const { valid_values: valid } = constraints
  if (valid === undefined || valid.includes(value)) return true
  const { db, scope, blueprint } = reader
  const [deployment] = deploymentId === null ? [] : await listDeployments(db, scope, deploymentId)
  const above =
    deploymentId === null
      ? blueprint && (await hierarchyInBlueprint(db, blueprint, value))
      : deployment &&
        (await hierarchyInDeployment(db, { tenantId: deployment.tenantId, id: deploymentId }, value))
  return above?.some((type) => valid.includes(type)) ?? false
}

async function isCapabilityValue(
  { capabilities, db, scope }: ObjectReader,
  { value, deploymentId, constraints }: ObjectQuery,
): Promise<boolean> {
  if (deploymentId === null || (await listDeployments(db, scope, deploymentId)).length === 0) return false
  return Object.entries(await capabilities(deploymentId)).some(
    ([key, each]) => sameValue(each, value) && fitsPattern(key, constraints.name_pattern),
  )
}

function satisfies(
  { name, tenantName, labels }: Owner,
  { labels: wanted = [], tenants, name_pattern: pattern }: ObjectQuery['constraints'],
): boolean {
  const hasLabels = wanted.every((label) =>
    Object.entries(label).every(([key, value]) => {
      const values = (Array.isArray(value) ? value : [value]).map(String)
      return labels.some((own) => own.key === key.toLowerCase() && values.includes(own.value))
    }),
  )
  return hasLabels && (tenants?.includes(tenantName) ?? true) && fitsPattern(name, pattern)
}

function fitsPattern(name: string, pattern: NamePattern = {}): boolean {
  const {
    starts_with: start = '',
    ends_with: end = '',
    contains: part = '',
    equals_to: whole = name,
  } = pattern
  return (
    name.startsWith(String(start)) &&
    name.endsWith(String(end)) &&
    name.includes(String(part)) &&
    name === String(whole)
  )
}

/** As JSON of PostgreSQL and of requests comes: keys in any order. */
function sameValue(a: Json, b: Json): boolean {
  return canonical(a) === canonical(b)
}

function canonical(value: Json): string {
  return JSON.stringify(value, (_key, inner: unknown) =>
    typeof inner === 'object' && inner !== null && !Array.isArray(inner)
      ? Object.fromEntries(Object.entries(inner).sort(([a], [b]) => (a < b ? -1 : 1)))
      : inner,
  )
}
