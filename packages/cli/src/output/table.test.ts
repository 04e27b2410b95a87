import fc from 'fast-check'
import { expect, test } from 'vitest'
import { printable, renderTable } from './table.ts'

const columns = ['a', 'b', 'c'].map((title, index) => ({
  title,
  value: (row: readonly string[]) => row[index] ?? '',
}))

test('columns are as wide as their widest cell', () => {
  expect(
    renderTable(
      columns,
      [
        ['x', 'longer', ''],
        ['xyz', 'y', 'z'],
      ],
      undefined,
    ),
  ).toBe(['a    b       c', 'x    longer', 'xyz  y       z'].join('\n'))
})

test('no line is wider than the terminal', () => {
  const cell = fc.string({ maxLength: 60 })
  fc.assert(
    fc.property(fc.array(fc.tuple(cell, cell, cell)), fc.integer({ min: 30, max: 120 }), (rows, width) => {
      for (const line of renderTable(columns, rows, width).split('\n')) {
        expect(line.length).toBeLessThanOrEqual(width)
      }
    }),
  )
})

test('what others wrote cannot steer the terminal', () => {
  expect(printable('a\u001b[2Jb\nc\u0007')).toBe('ab c')
})
