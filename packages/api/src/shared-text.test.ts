import fc from 'fast-check'
import { expect, test } from 'vitest'
import {
  parseAnswer,
  parseShared,
  partsOf,
  partsText,
  type SharedText,
  sharedTexts,
  TextTooLong,
  writtenLength,
  writtenOut,
} from './shared-text.ts'

/** What looks like the marks of the format. */
const awkward = fc.constantFrom(
  '\n0\n',
  '\n',
  '\r',
  '\n,',
  'part',
  '"part"',
  ']\r,',
  '\\n0\\n',
  '\u0000',
  'ü',
)
const json = fc.letrec((tie) => ({
  value: fc.oneof(
    { maxDepth: 4 },
    fc.oneof(awkward, fc.string(), fc.integer(), fc.boolean(), fc.constant(null)),
    fc.array(tie('value'), { maxLength: 4 }),
    fc.dictionary(fc.oneof(awkward, fc.string()), tie('value'), { maxKeys: 4 }),
  ),
})).value

/** Of what repeats itself, in parts as well. */
const repetitive = fc.array(json, { minLength: 1, maxLength: 5 }).chain((parts) => {
  const pairs = [...parts, { first: parts[0], second: parts.at(-1) }, [parts[0], 'long enough '.repeat(8)]]
  return fc.array(fc.constantFrom(...pairs), { maxLength: 12 })
})

const sharedOf = (value: unknown): SharedText => {
  const { texts, parts } = sharedTexts([value])
  return { text: texts[0] ?? '', parts }
}

/** As `sharedColumn` of storage has it. */
const inAnswer = ({ text, parts }: SharedText) => `\r[[${partsText(parts)}]\r,${text}]\r`

test('what is shared is read as it was, and written out as JSON.stringify writes it', () => {
  fc.assert(
    fc.property(repetitive, (value) => {
      const shared = sharedOf(value)
      const plain = JSON.stringify(value)
      expect(parseShared(shared)).toEqual(JSON.parse(plain))
      expect(partsOf(partsText(shared.parts))).toEqual(shared.parts)
      expect(writtenLength(shared)).toBe(plain.length)
      const answer = `{"a":${inAnswer(shared)},"b":[${inAnswer(shared)},${plain}]}`
      const written = `{"a":${plain},"b":[${plain},${plain}]}`
      expect([...writtenOut(answer)].join('')).toBe(written)
      expect(parseAnswer(answer)).toEqual(JSON.parse(written))
      // What the database reads of it is the rest.
      expect(() => JSON.parse(shared.text)).not.toThrow()
    }),
  )
})

test('what stands in several places stands once, and is one object again', () => {
  const operations = {
    create: { plugin: 'script', inputs: { path: 'scripts/create.sh', retries: [1, 2, 3] } },
  }
  const nodes = Array.from({ length: 1_000 }, (_, index) => ({ id: `node_${index}`, operations }))
  const shared = sharedOf(nodes)
  expect(shared.parts).toEqual([JSON.stringify(operations)])
  expect(shared.text.length).toBeLessThan(40_000)
  const read = parseShared(shared) as typeof nodes
  expect(new Set(read.map((node) => node.operations)).size).toBe(1)
})

test('an answer comes in pieces, none of which is large', () => {
  const part = { text: 'x'.repeat(1_000) }
  const shared = sharedOf(Array.from({ length: 10_000 }, () => part))
  const lengths = [...writtenOut(inAnswer(shared))].map((piece) => piece.length)
  expect(Math.max(...lengths)).toBeLessThan(100_000)
  expect(lengths.reduce((sum, length) => sum + length)).toBe(writtenLength(shared))
})

test('more text than is wanted is refused before it is made', () => {
  const nodes = Array.from({ length: 1_000 }, (_, index) => ({ id: `node_${index}` }))
  expect(() => sharedTexts(nodes, 1_000)).toThrow(TextTooLong)
})
