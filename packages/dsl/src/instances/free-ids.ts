import type { Modification, ModifiedInstance } from './modify.ts'

type Named = {
  readonly id: string
  readonly host_id?: string | null
  readonly relationships: readonly { readonly target_id?: unknown }[]
}

/** Ids that are asked for by one question. */
const batchSize = 1_000

/**
 * Ids of node instances are unique in the tenant, not only in the deployment: those that somebody else has already, and
 * all but the first of those given twice, get a new ending, wherever they are mentioned (docs/reference/plan.md, "What
 * is stored").
 */
export async function withFreeIds<Instance extends Named>(
  instances: readonly Instance[],
  findTaken: (ids: readonly string[]) => Promise<Iterable<string>>,
  randomId: () => string,
): Promise<readonly Instance[]> {
  let current = instances
  for (;;) {
    const taken = new Set<string>()
    for (let at = 0; at < current.length; at += batchSize) {
      const ids = current.slice(at, at + batchSize).map(({ id }) => id)
      for (const id of await findTaken(ids)) taken.add(id)
    }
    const used = new Set(taken)
    const renamed = new Map<string, string>()
    const ids = current.map(({ id }) => {
      const now = used.has(id) ? withNewEnding(id, randomId) : id
      used.add(id)
      if (now !== id) renamed.set(id, now)
      return now
    })
    if (renamed.size === 0) return current
    current = current.map((instance, index) => renamedInstance(instance, ids[index] ?? instance.id, renamed))
  }
}

const withNewEnding = (id: string, randomId: () => string): string =>
  `${id.includes('_') ? id.slice(0, id.lastIndexOf('_')) : id}_${randomId()}`

function renamedInstance<Instance extends Named>(
  instance: Instance,
  id: string,
  renamed: ReadonlyMap<string, string>,
): Instance {
  const now = (one: unknown) => (typeof one === 'string' ? (renamed.get(one) ?? one) : one)
  return {
    ...instance,
    id,
    ...(instance.host_id != null && { host_id: now(instance.host_id) }),
    relationships: instance.relationships.map((one) => ({ ...one, target_id: now(one.target_id) })),
  }
}

/** The same for instances that a modification adds, wherever its lists mention them. */
export async function withFreeIdsIn<Lists extends Modification>(
  lists: Lists,
  findTaken: (ids: readonly string[]) => Promise<Iterable<string>>,
  randomId: () => string,
): Promise<Lists> {
  const added = lists.added_and_related.filter(({ modification }) => modification === 'added')
  const named = await withFreeIds(added, findTaken, randomId)
  const renamed = new Map(
    added.flatMap(({ id }, index) => {
      const now = named[index]?.id ?? id
      return now === id ? [] : [[id, now] as const]
    }),
  )
  if (renamed.size === 0) return lists
  const list = (instances: readonly ModifiedInstance[]) =>
    instances.map((instance) => renamedInstance(instance, renamed.get(instance.id) ?? instance.id, renamed))
  return {
    ...lists,
    added_and_related: list(lists.added_and_related),
    removed_and_related: list(lists.removed_and_related),
    extended_and_related: list(lists.extended_and_related),
    reduced_and_related: list(lists.reduced_and_related),
  }
}
