import { parseAnswer } from '../shared-text.ts'

type Item = Readonly<Record<string, unknown>>

/**
 * One resource as the JSON that the database made, which is sent as it is, like the items of a `ListAnswer`. Whoever
 * looks into it or changes it parses it.
 */
export class ItemAnswer {
  readonly #json: string
  readonly #toItem: ((row: Item) => Item) | undefined

  /** @param toItem where the database cannot say all that is shown */
  constructor(json: string, toItem?: (row: Item) => Item) {
    this.#json = json
    this.#toItem = toItem
  }

  get text(): string {
    return this.#toItem === undefined ? this.#json : JSON.stringify(this.item)
  }

  get item(): Item {
    const row = parseAnswer(this.#json) as Item
    return this.#toItem === undefined ? row : this.#toItem(row)
  }
}
