import { parseAnswer } from '../shared-text.ts'

/**
 * One resource as JSON, which is sent as it is, like the items of a `ListAnswer`. Whoever looks into it or changes it
 * parses it.
 */
export class ItemAnswer {
  readonly text: string

  constructor(text: string) {
    this.text = text
  }

  get item(): Readonly<Record<string, unknown>> {
    return parseAnswer(this.text) as Readonly<Record<string, unknown>>
  }
}
