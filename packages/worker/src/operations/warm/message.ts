import { constants } from 'node:os'
import type { Exit } from '../process.ts'

/** What a parent says (python/operations_parent.py). */
export type Message =
  | { readonly kind: 'ready' }
  | { readonly kind: 'alive' }
  | { readonly kind: 'cannot'; readonly reason: string }
  | { readonly kind: 'started'; readonly id: number; readonly pid: number }
  | { readonly kind: 'refused'; readonly id: number; readonly reason: string }
  | { readonly kind: 'ended'; readonly id: number; readonly exit: Exit }

/** Operations of the same user may have brought the parent to run code of theirs. @throws Error at what is no message */
export function parseMessage(line: string): Message {
  const words: unknown = JSON.parse(line)
  if (Array.isArray(words)) {
    const [kind, first, second]: readonly unknown[] = words
    if (kind === 'ready' || kind === 'alive') return { kind }
    if (kind === 'cannot') return { kind, reason: String(first) }
    if (kind === 'refused' && isNumber(first)) return { kind, id: first, reason: String(second) }
    // A process of the number 1 is never a parent's child, and kill(-1) is everybody.
    if (kind === 'started' && isNumber(first) && isNumber(second) && second > 1)
      return { kind, id: first, pid: second }
    if (kind === 'ended' && isNumber(first) && isNumber(second)) {
      return { kind, id: first, exit: exitOf(second) }
    }
  }
  throw new Error('the parent of operations says what is no message')
}

const isNumber = (value: unknown): value is number => Number.isSafeInteger(value)

const names = new Map(Object.entries(constants.signals).map(([name, number]) => [number, name]))

/** The status as wait(2) gives it. */
function exitOf(status: number): Exit {
  const signal = names.get(status & 0x7f)
  return signal === undefined
    ? { kind: 'exited', code: (status >> 8) & 0xff }
    : { kind: 'signalled', signal: signal as NodeJS.Signals }
}
