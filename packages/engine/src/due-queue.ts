/** Items by the time at which they are due: a binary heap. Items due at the same time keep no order. */
export type DueQueue<T> = {
  readonly heap: { readonly atMs: number; readonly item: T }[]
}

export function newDueQueue<T>(): DueQueue<T> {
  return { heap: [] }
}

export function nextDueMs(queue: DueQueue<unknown>): number | null {
  return queue.heap[0]?.atMs ?? null
}

export function pushDue<T>({ heap }: DueQueue<T>, atMs: number, item: T): void {
  let index = heap.length
  const entry = { atMs, item }
  heap.push(entry)
  while (index > 0) {
    const parentIndex = (index - 1) >> 1
    const parent = heap[parentIndex]
    if (parent === undefined || parent.atMs <= atMs) break
    heap[index] = parent
    index = parentIndex
  }
  heap[index] = entry
}

/** The item due first, if it is due by `nowMs`. */
export function popDue<T>({ heap }: DueQueue<T>, nowMs: number): T | undefined {
  const first = heap[0]
  if (first === undefined || first.atMs > nowMs) return undefined
  const last = heap.pop()
  if (last === undefined || heap.length === 0) return first.item
  let index = 0
  for (;;) {
    let childIndex = 2 * index + 1
    let child = heap[childIndex]
    const right = heap[childIndex + 1]
    if (child === undefined) break
    if (right !== undefined && right.atMs < child.atMs) {
      child = right
      childIndex += 1
    }
    if (child.atMs >= last.atMs) break
    heap[index] = child
    index = childIndex
  }
  heap[index] = last
  return first.item
}
