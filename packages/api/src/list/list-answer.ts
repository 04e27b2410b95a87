import type { ListMetadata } from '../shapes/common.ts'

/** Leave to read a long list, which holds a connection to the database for as long as the client takes it. */
export type Reading = {
  /** Resolves when there is room for one more; rejects when too many wait, or nobody waits for the answer any more. */
  begin(): Promise<ReadingPlace>
}

export type ReadingPlace = {
  /** Whether others wait for a place. */
  readonly isWanted: boolean
  end(): void
}

type Batches<Item> = (reading: Reading) => AsyncIterable<readonly Item[]>

/**
 * The envelope of a list whose items are read while they are sent: all of a list may be more than memory holds. It is
 * read once. docs/reference/rest-conventions.md, "Lists".
 */
export class ListAnswer<Item = Readonly<Record<string, unknown>>> {
  readonly batches: Batches<Item>
  /** What is known after the last item; `sent` is how many there were. */
  readonly metadata: (sent: number) => Promise<ListMetadata>

  constructor(batches: Batches<Item>, metadata: (sent: number) => Promise<ListMetadata>) {
    this.batches = batches
    this.metadata = metadata
  }

  map<Other>(change: (item: Item) => Other): ListAnswer<Other> {
    return this.mapBatches((batch) => batch.map(change))
  }

  mapBatches<Other>(
    change: (batch: readonly Item[]) => readonly Other[] | Promise<readonly Other[]>,
  ): ListAnswer<Other> {
    const { batches } = this
    return new ListAnswer(async function* (reading) {
      for await (const batch of batches(reading)) yield await change(batch)
    }, this.metadata)
  }

  /** All items, where whoever asks knows that they are few. */
  async items(reading: Reading): Promise<Item[]> {
    const items: Item[] = []
    for await (const batch of this.batches(reading)) items.push(...batch)
    return items
  }
}
