import type { ListMetadata } from '../shapes/common.ts'

type Batches<Item> = AsyncIterable<readonly Item[]>

/**
 * The envelope of a list whose items are read while they are sent: all of a list may be more than memory holds. It is
 * read once. spec/rest-spec-a.md 2.1.
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
    async function* changed() {
      for await (const batch of batches) yield await change(batch)
    }
    return new ListAnswer(changed(), this.metadata)
  }

  /** All items, where whoever asks knows that they are few. */
  async items(): Promise<Item[]> {
    const items: Item[] = []
    for await (const batch of this.batches) items.push(...batch)
    return items
  }
}
