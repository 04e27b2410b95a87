import { styleText } from 'node:util'
import { expect, test } from 'vitest'
import { cleanText } from './clean-output.ts'
import { jsonText } from './json-text.ts'

const attacks: readonly (readonly [string, string])[] = [
  ['a title', '\u001b]0;owned\u0007'],
  ['a link', '\u001b]8;;http://evil\u001b\\'],
  ['a cleared screen', '\u001b[2J\u001b[H'],
  ['hidden text', '\u001b[8m'],
  ['a report of the terminal', '\u001b[6n'],
  ['the clipboard', '\u001b]52;c;aGk=\u0007'],
  ['a device string', '\u001bP$q"p\u001b\\'],
  ['eight bits', '\u009b2J'],
  ['a title of eight bits', '\u009d0;owned\u009c'],
  ['a new line over the old one', '\r'],
  ['steps back', '\b\b'],
  ['a reset', '\u001bc'],
  ['an open sequence', '\u001b['],
  ['text that runs backwards', '\u202e'],
  ['isolated text', '\u2066'],
]

test.each(attacks)("nobody else's %s reaches a terminal", (_what, attack) => {
  const shown = cleanText(`name ${attack}end`)
  expect(shown).toMatch(/^name /)
  expect(shown).not.toMatch(/[\p{Cc}\u202a-\u202e\u2066-\u2069]|owned|evil|aGk/u)
  const json = jsonText({ [`key${attack}`]: attack }, undefined)
  expect(cleanText(json)).toBe(json)
  expect(JSON.parse(json)).toEqual({ [`key${attack}`]: attack })
})

test('our own colours and lines do', () => {
  for (const colour of ['red', 'green', 'yellow', 'cyan', 'gray', 'bold'] as const) {
    const text = styleText(colour, 'text', { validateStream: false })
    expect(cleanText(text)).toBe(text)
  }
  expect(cleanText('\r\u001b[2K⠋ works\tön\n')).toBe('\r\u001b[2K⠋ works\tön\n')
})
