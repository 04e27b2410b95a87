import { styleText } from 'node:util'
import type { Environment, Output } from '../environment.ts'

export type Colour = 'red' | 'green' | 'yellow' | 'cyan' | 'gray' | 'bold'

/** Colours a text, or leaves it where nobody sees colours. */
export type Style = (colour: Colour, text: string) => string

/** Colours only on a terminal, and never with NO_COLOR (https://no-color.org). */
export function styleFor(output: Output, { variables }: Environment): Style {
  const isWanted = output.isTerminal && (variables.NO_COLOR ?? '') === '' && variables.TERM !== 'dumb'
  return isWanted
    ? (colour, text) => styleText(colour, text, { validateStream: false })
    : (_colour, text) => text
}
