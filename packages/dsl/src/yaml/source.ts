import type { Place } from '../diagnostic.ts'

/** One YAML file, able to turn an offset into a line and a column. */
export type Source = {
  readonly address: string
  readonly text: string
  /** Offset of the first character of each line. */
  readonly lineStarts: readonly number[]
  /** Lines (from 1) that begin with `PADDING` which the author did not write. */
  readonly padded: ReadonlySet<number>
}

/** Deeper than any indentation that the nesting limit allows in practice. */
const PADDING = ' '.repeat(256)

export function sourceOf(address: string, text: string, padded: ReadonlySet<number> = new Set()): Source {
  const lineStarts = [0]
  for (let at = text.indexOf('\n'); at !== -1; at = text.indexOf('\n', at + 1)) lineStarts.push(at + 1)
  return { address, text, lineStarts, padded }
}

/** The source with one line (from 1) indented. */
export function paddedAt(source: Source, line: number): Source {
  const start = source.lineStarts[line - 1] ?? 0
  const text = `${source.text.slice(0, start)}${PADDING}${source.text.slice(start)}`
  return sourceOf(source.address, text, new Set([...source.padded, line]))
}

export function placeOf(source: Source, offset: number): Place {
  let low = 0
  let high = source.lineStarts.length - 1
  while (low < high) {
    const middle = (low + high + 1) >> 1
    if ((source.lineStarts[middle] ?? 0) <= offset) low = middle
    else high = middle - 1
  }
  const column = offset - (source.lineStarts[low] ?? 0)
  return {
    file: source.address,
    line: low + 1,
    column: source.padded.has(low + 1) ? Math.max(0, column - PADDING.length) : column,
  }
}
