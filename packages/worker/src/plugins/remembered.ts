const most = 1_000

/** What was found out is not asked for again for so long; what could not be is. */
export function createRemembered<Value>(ms: number) {
  const known = new Map<string, { readonly value: Promise<Value>; readonly untilMs: number }>()
  return (key: string, find: () => Promise<Value>): Promise<Value> => {
    const now = performance.now()
    const found = known.get(key)
    if (found !== undefined && found.untilMs > now) return found.value
    for (const [old, { untilMs }] of known) {
      if (untilMs > now && known.size < most) break
      known.delete(old)
    }
    const value = find()
    const entry = { value, untilMs: now + ms }
    known.delete(key)
    known.set(key, entry)
    const forget = () => known.get(key) === entry && known.delete(key)
    value.then((one) => one === undefined && forget(), forget)
    return value
  }
}
