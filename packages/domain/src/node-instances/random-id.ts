import { randomInt } from 'node:crypto'

const characters = 'abcdefghijklmnopqrstuvwxyz0123456789'

/** The end of a node instance's id (docs/reference/plan.md, "Node instances"). */
export function randomId(): string {
  return Array.from({ length: 6 }, () => characters[randomInt(characters.length)]).join('')
}
