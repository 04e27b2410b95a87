import type { ListMetadata } from '../shapes/common.ts'
import { parseAnswer } from '../shared-text.ts'

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

/** Items as JSON, with commas between them: the inside of an array. */
export type JsonItems = { readonly count: number; readonly text: string }

type Texts = (reading: Reading) => AsyncIterable<JsonItems>
type Batches<Item> = (reading: Reading) => AsyncIterable<readonly Item[]>

/**
 * The envelope of a list whose items are read while they are sent: all of a list may be more than memory holds. It is
 * read once. docs/reference/rest-conventions.md, "Lists".
 *
 * Items are the JSON that the database made, which is sent as it is: parsing it and writing it again is most of what a
 * list costs otherwise. Only who changes items parses them.
 */
export class ListAnswer<Item = Readonly<Record<string, unknown>>> {
  readonly texts: Texts
  /** What is known after the last item; `sent` is how many there were. */
  readonly metadata: (sent: number) => Promise<ListMetadata>
  readonly batches: Batches<Item>

  constructor(
    texts: Texts,
    metadata: (sent: number) => Promise<ListMetadata>,
    batches: Batches<Item> = parsed<Item>(texts),
  ) {
    this.texts = texts
    this.metadata = metadata
    this.batches = batches
  }

  map<Other>(change: (item: Item) => Other): ListAnswer<Other> {
    return this.mapBatches((batch) => batch.map(change))
  }

  mapBatches<Other>(
    change: (batch: readonly Item[]) => readonly Other[] | Promise<readonly Other[]>,
  ): ListAnswer<Other> {
    const { batches } = this
    async function* changed(reading: Reading) {
      for await (const batch of batches(reading)) yield await change(batch)
    }
    return new ListAnswer(written(changed), this.metadata, changed)
  }

  /** All items, where whoever asks knows that they are few. */
  async items(reading: Reading): Promise<Item[]> {
    const items: Item[] = []
    for await (const batch of this.batches(reading)) items.push(...batch)
    return items
  }
}

const parsed = <Item>(texts: Texts): Batches<Item> =>
  async function* (reading) {
    for await (const { text } of texts(reading)) yield parseAnswer(`[${text}]`) as Item[]
  }

/** `JSON.stringify` measured 1.5 times faster than schema serialisers on big lists. */
const written = (batches: Batches<unknown>): Texts =>
  async function* (reading) {
    for await (const batch of batches(reading)) {
      yield { count: batch.length, text: JSON.stringify(batch).slice(1, -1) }
    }
  }
