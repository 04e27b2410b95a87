import type { Client } from 'ldapts'
import { bindFits, converse, LdapAway, type LdapReach } from './connection.ts'
import { dnKey } from './dn.ts'
import { type Found, searchEntries, valuesOf } from './entries.ts'
import { groupsOf } from './groups.ts'
import type { LdapPlan } from './plan.ts'
import { fillBindName, fillFilter, isDnTemplate } from './template.ts'

/** Who logged in, by the directory's word. */
export type Person = {
  readonly username: string
  readonly firstName: string | undefined
  readonly lastName: string | undefined
  readonly email: string | undefined
  readonly groupDns: readonly string[]
}

/**
 * Asks the directory whether name and password fit, and who that is; undefined when they do not.
 *
 * The password counts only for the very entry that is then read: names such as `alice@example.org` and user filters can
 * mean different entries, and nobody is let in as somebody else.
 *
 * @throws LdapAway
 */
export function findPerson(
  plan: LdapPlan,
  reach: LdapReach,
  username: string,
  password: string,
): Promise<Person | undefined> {
  return converse(plan.server, reach, async (client) => {
    const bindName =
      plan.bindFormat === undefined ? undefined : fillBindName(plan.bindFormat, { ...plan.values, username })
    if (plan.bindFormat !== undefined) {
      if (bindName === undefined || !(await bindFits(client, bindName, password))) return undefined
    }
    await becomeSearcher(client, plan)
    const found = await findEntry(client, plan, bindName, username)
    if (found === undefined) return undefined
    const isProven = bindName !== undefined && dnKey(bindName) === dnKey(found.dn)
    if (!isProven) {
      if (!(await bindFits(client, found.dn, password))) return undefined
      await becomeSearcher(client, plan)
    }
    return personOf(found, plan, username, await groupsOf(client, plan, found))
  })
}

/** Whether the user that searches is let in by the directory. @throws LdapAway */
export async function checkSearcher(plan: LdapPlan, reach: LdapReach): Promise<void> {
  await converse(plan.server, reach, (client) => becomeSearcher(client, plan))
}

async function becomeSearcher(client: Client, { searcher }: LdapPlan): Promise<void> {
  if (searcher === undefined) return
  if (await bindFits(client, searcher.name, searcher.password)) return
  throw new LdapAway('the server refuses the user or the password of the settings')
}

/** The one entry that is meant; two are none. */
async function findEntry(client: Client, plan: LdapPlan, bindName: string | undefined, username: string) {
  const { attributes, values, userFilter, bindFormat } = plan
  const isOwn = bindName !== undefined && bindFormat !== undefined && isDnTemplate(bindFormat)
  const found = await searchEntries(client, isOwn ? bindName : plan.baseDn, {
    scope: isOwn ? 'base' : 'sub',
    filter: fillFilter(userFilter, { ...values, username }),
    attributes: Object.values(attributes),
    sizeLimit: 2,
  })
  return found.length === 1 ? found[0] : undefined
}

function personOf(
  found: Found,
  { attributes }: LdapPlan,
  username: string,
  groupDns: readonly string[],
): Person {
  const first = (attribute: string) => valuesOf(found, attribute)[0]?.slice(0, 1000)
  return {
    // As the directory writes it, where it says what the user is called.
    username: first(attributes.uid) ?? username,
    firstName: first(attributes.firstName),
    lastName: first(attributes.lastName),
    email: first(attributes.email),
    groupDns,
  }
}
