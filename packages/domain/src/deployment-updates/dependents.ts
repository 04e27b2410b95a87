import type { Transaction } from '@tutti/storage'
import { type Actor, tenantOf, tenantScope } from '../actor.ts'
import { type Dependent, findDependents } from '../dependencies/index.ts'

/** Rows of `recursive_dependencies`. */
export type RecursiveDependency = {
  readonly deployment: string
  readonly dependency_type: string
  readonly dependent_node: string | null
  readonly target: string
  readonly tenant: string
}

/** More than a person reads. */
const most = 1_000

/**
 * Who depends on the deployment, directly, and who on them in turn. `all` is kept where everybody in the tenant may read
 * it: it names nobody's private ones.
 */
export async function recursiveDependencies(
  actor: Actor,
  transaction: Transaction,
  deploymentId: string,
): Promise<{ readonly direct: readonly Dependent[]; readonly all: readonly RecursiveDependency[] }> {
  const { id: tenantId, name: tenant } = tenantOf(actor)
  const seen = new Set([deploymentId])
  const hidden = new Set<string>()
  const all: RecursiveDependency[] = []
  const dependentsOf = (ids: readonly string[]) =>
    findDependents(transaction, tenantId, ids, { by: 'update', recursive: false, scope: tenantScope(actor) })
  const direct = await dependentsOf([deploymentId])
  let found = direct
  while (found.length > 0 && all.length < most) {
    for (const { isSeen, isPrivate, source, target, creator } of found) {
      if (!isSeen || isPrivate) hidden.add(source)
      else if (!hidden.has(target)) all.push({ deployment: source, ...kindOf(creator), target, tenant })
    }
    const next = [...new Set(found.map(({ source }) => source))].filter((id) => !seen.has(id))
    for (const id of next) seen.add(id)
    found = next.length === 0 ? [] : await dependentsOf(next)
  }
  return { direct, all: all.slice(0, most) }
}

/** `component.NODE_INSTANCE`, `sharedresource.NODE_INSTANCE`, `PATH.get_capability`, or a label. */
function kindOf(creator: string): Pick<RecursiveDependency, 'dependency_type' | 'dependent_node'> {
  if (creator === 'csys-obj-parent') return { dependency_type: 'environment', dependent_node: null }
  const [first = '', second = null] = creator.split('.')
  const isObject = first === 'component' || first === 'sharedresource'
  return { dependency_type: isObject ? first : 'deployment', dependent_node: second }
}
