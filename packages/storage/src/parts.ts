/** Rows of one statement: to make its text takes some milliseconds, which is what the event loop is kept from others. */
const usual = 500

/** A list of any length as rows of statements. */
export function* inParts<Item>(items: readonly Item[], size = usual): Iterable<readonly Item[]> {
  for (let start = 0; start < items.length; start += size) yield items.slice(start, start + size)
}
