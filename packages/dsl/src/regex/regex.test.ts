import { expect, test } from 'vitest'
import { matchesFromStart, newStepBudget, pythonRegex, RegexTooCostly } from './match.ts'

function matches(pattern: string, text: string): boolean {
  const regex = pythonRegex(pattern)
  if (regex === null) throw new Error(`${pattern} does not compile`)
  return matchesFromStart(regex, text, newStepBudget())
}

test.each([
  ['a$', 'a\n', true],
  ['(?P<x>a)(?P=x)', 'aa', true],
  ['(?P<x>a)(?P=x)', 'ab', false],
  ['\\Aab\\Z', 'ab', true],
  ['\\Aab\\Z', 'ab\n', false],
  ['(?i)AB', 'ab', true],
  ['(?i:A)B', 'ab', false],
  ['(?im)a$', 'A\nb', true],
  ['(?x) a # a comment\n b', 'ab', true],
  ['[]a]+$', ']a', true],
  ['a(?#note)b', 'ab', true],
  ['a{,2}$', 'aa', true],
  ['a{,2}$', 'aaa', false],
  ['a{2$', 'a{2', true],
  ['^(?!admin).*$', 'admin1', false],
  ['^(?!admin).*$', 'user', true],
  ['.*(?<!x)y', 'ay', true],
  ['.*(?<!x)y', 'xy', false],
  ['(a)?b(?(1)c|d)$', 'abc', true],
  ['(a)?b(?(1)c|d)$', 'bc', false],
  ['a++a', 'aaa', false],
  ['(?>a|ab)c', 'abc', false],
  ['(?:a|ab)c', 'abc', true],
  ['.*\\bfoo\\b', 'a foo!', true],
  ['\\w+$', 'é', true],
  ['(?a)\\w+$', 'é', false],
  ['\\x41\\u0042\\103', 'ABC', true],
  ['(a*)*b', 'aab', true],
])('the Python pattern %s on %j: %j', (pattern, text, expected) => {
  expect(matches(pattern, text)).toBe(expected)
})

test.each([
  '\\',
  '(',
  ')',
  '[',
  '*a',
  '\\p',
  'a**',
  'a{2}{3}',
  'a{3,2}',
  '^*',
  'a(?i)',
  '(?<n>a)',
  '(?P<1>a)',
  '(?P<n>a)(?P<n>b)',
  '(?P=n)',
  '\\1',
  '(a\\1)',
  '(?<=a*)b',
  '[z-a]',
  '[a-\\d]',
  '\\x1',
  '\\400',
  '(?(2)a)(b)',
  '(?(1)a|b|c)(x)',
  '(?i-i:a)',
])('%s is no Python pattern', (pattern) => {
  expect(pythonRegex(pattern)).toBeNull()
})

const near = `${'a'.repeat(5_000)}!`

test.each(['(a+)+$', '(a|a)*$', '(a|aa)+$', '([a-zA-Z]+)*$', '(?=(a+)+$)a', '(?:(?!b)a)*$', '(?i)(a+)+$'])(
  'the pattern %s, on which a backtracking engine hangs, is decided',
  (pattern) => {
    expect(matches(pattern, near)).toBe(false)
  },
)

test.each([
  '(a*)*\\1$',
  '(a+)+(?P<x>b)?\\1$',
  '((a{1,300}){1,300}){1,300}',
  '(?:){4000000000}',
  '(?:.*){500}b',
])('the pattern %s is given up after a fixed number of steps', (pattern) => {
  expect(() => matches(pattern, `${'a'.repeat(20_000)}!`)).toThrow(RegexTooCostly)
})
