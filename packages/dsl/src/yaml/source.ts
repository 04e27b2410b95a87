import type { Place } from '../diagnostic.ts'

/** One YAML file, able to turn an offset into a line and a column. */
export interface Source {
  readonly address: string
  readonly text: string
  /** Offset of the first character of each line. */
  readonly lineStarts: readonly number[]
}

export function sourceOf(address: string, text: string): Source {
  const lineStarts = [0]
  for (let at = text.indexOf('\n'); at !== -1; at = text.indexOf('\n', at + 1)) lineStarts.push(at + 1)
  return { address, text, lineStarts }
}

export function placeOf(source: Source, offset: number): Place {
  let low = 0
  let high = source.lineStarts.length - 1
  while (low < high) {
    const middle = (low + high + 1) >> 1
    if ((source.lineStarts[middle] ?? 0) <= offset) low = middle
    else high = middle - 1
  }
  return { file: source.address, line: low + 1, column: offset - (source.lineStarts[low] ?? 0) }
}
