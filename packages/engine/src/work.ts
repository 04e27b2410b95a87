/**
 * What takes long for a large graph, in pieces: where it yields, whoever does it may let others have their turn. It looks
 * at no clock itself, so it yields every few hundred things; how many pieces are done at once is the caller's choice.
 */
export type Work<T> = Generator<undefined, T, undefined>

/** The result of all pieces at once: for graphs that are known to be small. */
export function finish<T>(work: Work<T>): T {
  for (;;) {
    const { done, value } = work.next()
    if (done === true) return value
  }
}

/** Things done between two yields: well below a millisecond, on a slow machine too. */
const pieceSize = 100

/** The items, with a yield of the work after each piece of them. */
export function* each<Item>(items: Iterable<Item>, take: (item: Item, index: number) => void): Work<void> {
  let index = 0
  for (const item of items) {
    take(item, index)
    index += 1
    if (index % pieceSize === 0) yield
  }
}

/** What is made of each item, when it is its turn. */
export function* made<Item, Made>(items: Iterable<Item>, make: (item: Item) => Made): Iterable<Made> {
  for (const item of items) yield make(item)
}
