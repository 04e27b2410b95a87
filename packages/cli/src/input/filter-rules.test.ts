import { expect, test } from 'vitest'
import { parseRule } from './filter-rules.ts'

test.each([
  ['label', 'env=prod', 'env', 'any_of', ['prod']],
  ['label', 'env = [prod, test]', 'env', 'any_of', ['prod', 'test']],
  ['label', 'env!=prod', 'env', 'not_any_of', ['prod']],
  ['label', 'env=a=b', 'env', 'any_of', ['a=b']],
  ['label', 'env is-not prod', 'env', 'is_not', ['prod']],
  ['label', 'env is null', 'env', 'is_null', []],
  ['label', 'env is not  null', 'env', 'is_not_null', []],
  ['attribute', 'id contains web', 'id', 'contains', ['web']],
  ['attribute', 'id does-not-contain [a,b]', 'id', 'not_contains', ['a', 'b']],
  ['attribute', 'blueprint_id starts-with w', 'blueprint_id', 'starts_with', ['w']],
  ['attribute', 'id ends-with 1', 'id', 'ends_with', ['1']],
  ['attribute', 'schedules is not empty', 'schedules', 'is_not_empty', []],
] as const)('a rule about a %s: %s', (type, text, key, operator, values) => {
  expect(parseRule(type, text)).toEqual({ type, key, operator, values })
})

test.each([
  ['label', 'env'],
  ['label', 'env contains a'],
  ['label', '=a'],
  ['attribute', 'id is null'],
  ['attribute', 'id is-not a'],
] as const)('no rule about a %s: %s', (type, text) => {
  expect(() => parseRule(type, text)).toThrow('is no rule about')
})
