import { type Client, type Entry, NoSuchObjectError } from 'ldapts'

/** Entries of the directory, as far as a login reads them. */
export type Found = { readonly dn: string; readonly entry: Entry }

/** A place without entries, or one that does not exist, has none to find. */
export async function searchEntries(
  client: Client,
  base: string,
  options: {
    readonly scope: 'base' | 'sub'
    readonly filter: string
    readonly attributes: readonly string[]
    /** Absent: all of them, page by page. */
    readonly sizeLimit?: number
  },
): Promise<readonly Found[]> {
  const { scope, filter, attributes, sizeLimit } = options
  try {
    const { searchEntries: entries } = await client.search(base, {
      scope,
      filter,
      attributes: [...attributes],
      ...(sizeLimit === undefined ? { paged: { pageSize: 500 } } : { sizeLimit }),
    })
    return entries.map((entry) => ({ dn: entry.dn, entry }))
  } catch (error) {
    if (error instanceof NoSuchObjectError) return []
    throw error
  }
}

/** The values of an attribute that are text. Servers answer an attribute's name in their own spelling. */
export function valuesOf({ entry }: Found, attribute: string): readonly string[] {
  const wanted = attribute.toLowerCase()
  return Object.entries(entry)
    .filter(([name]) => name.toLowerCase() === wanted)
    .flatMap(([, value]) => value)
    .filter((value): value is string => typeof value === 'string' && !value.includes('\0'))
}
