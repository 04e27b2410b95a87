import type { Client } from 'ldapts'
import { dnKey } from './dn.ts'
import { type Found, searchEntries, valuesOf } from './entries.ts'
import type { LdapPlan } from './plan.ts'
import { fillFilter } from './template.ts'

/** How many members one search asks for. */
const membersAtOnce = 50
/** How many searches are under way: servers allow one connection some, Active Directory twenty. */
const searchesAtOnce = 10

/**
 * The names of the groups of an entry: those that its attribute lists and those that list it, and their groups, as many
 * levels deep as the settings say. A group is looked at once, so a circle of groups has an end.
 */
export async function groupsOf(client: Client, plan: LdapPlan, person: Found): Promise<readonly string[]> {
  const names = new Map<string, string>()
  let level: readonly Found[] = [person]
  for (let depth = 1; level.length > 0; depth += 1) {
    const listing = await groupsListing(client, plan, level)
    const listed = level.flatMap((one) => valuesOf(one, plan.attributes.groups))
    const read = new Map(listing.map((found) => [dnKey(found.dn), found]))
    const isNew = (dn: string) => !names.has(dnKey(dn))
    const fresh = [...listing.map(({ dn }) => dn), ...listed].filter(isNew)
    for (const dn of fresh) names.set(dnKey(dn), dn)
    if (depth >= plan.nestedLevels) break
    level = await inTurns([...new Set(fresh.map(dnKey))], searchesAtOnce, (some) =>
      Promise.all(some.map((key) => read.get(key) ?? readGroup(client, plan, names.get(key) ?? ''))),
    )
  }
  return [...names.values()]
}

async function groupsListing(client: Client, plan: LdapPlan, members: readonly Found[]) {
  const { memberFilter, groupDn, attributes } = plan
  if (memberFilter === undefined) return []
  const filters = members.map(({ dn }) => fillFilter(memberFilter, { object_dn: dn }))
  return inTurns(filters, membersAtOnce, (some) =>
    searchEntries(client, groupDn, {
      scope: 'sub',
      filter: some.length === 1 ? some.join('') : `(|${some.join('')})`,
      attributes: [attributes.groups],
    }),
  )
}

/** What comes of all of them, so many at a time, one turn after the other. */
async function inTurns<One, Result>(
  all: readonly One[],
  size: number,
  take: (some: readonly One[]) => Promise<readonly Result[]>,
): Promise<readonly Result[]> {
  const results: Result[] = []
  for (let start = 0; start < all.length; start += size) {
    results.push(...(await take(all.slice(start, start + size))))
  }
  return results
}

/** A group that only an attribute names. One that may not be read counts, but is in no further group. */
async function readGroup(client: Client, { attributes }: LdapPlan, dn: string): Promise<Found> {
  const [found] = await searchEntries(client, dn, {
    scope: 'base',
    filter: '(objectClass=*)',
    attributes: [attributes.groups],
    sizeLimit: 1,
  })
  return found ?? { dn, entry: { dn } }
}
