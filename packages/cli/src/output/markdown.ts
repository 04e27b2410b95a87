/** A table of Markdown, padded as the formatter of this repository wants it. */
export function markdownTable(titles: readonly string[], rows: readonly (readonly string[])[]): string {
  const escaped = rows.map((cells) => cells.map((cell) => cell.replaceAll('|', '\\|')))
  const widths = titles.map((title, index) =>
    Math.max(title.length, ...escaped.map((row) => row[index]?.length ?? 0)),
  )
  const line = (cells: readonly string[]) =>
    `| ${cells.map((cell, index) => cell.padEnd(widths[index] ?? 0)).join(' | ')} |`
  return [line(titles), line(widths.map((width) => '-'.repeat(width))), ...escaped.map(line)].join('\n')
}
