import { randomInt } from 'node:crypto'

const characters = 'abcdefghijklmnopqrstuvwxyz0123456789'

/** The end of a node instance's id (spec/plan.md 8.1). */
export function randomId(): string {
  return Array.from({ length: 6 }, () => characters[randomInt(characters.length)]).join('')
}
