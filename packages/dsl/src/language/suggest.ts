/** Names that are compared; beyond them a suggestion costs more than it helps. */
const MOST_NAMES = 300

/** The name nearest to what was written, if it is near enough to be meant. */
export function nearest(written: string, names: Iterable<string>): string | undefined {
  let best: string | undefined
  let bestDistance = Math.max(1, Math.floor(written.length / 3)) + 1
  let considered = 0
  for (const name of names) {
    if (++considered > MOST_NAMES) break
    if (Math.abs(name.length - written.length) >= bestDistance) continue
    const distance = editDistance(written.toLowerCase(), name.toLowerCase())
    if (distance < bestDistance) {
      best = name
      bestDistance = distance
    }
  }
  return best
}

function editDistance(a: string, b: string): number {
  let row = Array.from({ length: b.length + 1 }, (_, index) => index)
  for (let i = 1; i <= a.length; i++) {
    const next = [i]
    for (let j = 1; j <= b.length; j++) {
      const replaced = (row[j - 1] ?? 0) + (a[i - 1] === b[j - 1] ? 0 : 1)
      next.push(Math.min(replaced, (row[j] ?? 0) + 1, (next[j - 1] ?? 0) + 1))
    }
    row = next
  }
  return row[b.length] ?? 0
}
