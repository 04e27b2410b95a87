/** No line of a parent is longer: what has no end is no parent's. */
const longestLine = 64 * 1024

/** Cuts what comes in pieces into lines. @throws Error at a line that is too long */
export function lineReader(onLine: (line: string) => void): (piece: string) => void {
  let begun = ''
  return (piece) => {
    const lines = (begun + piece).split('\n')
    begun = lines.pop() ?? ''
    for (const line of lines) onLine(line)
    if (begun.length > longestLine) throw new Error('a line without an end')
  }
}
