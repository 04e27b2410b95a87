import { expect, test } from 'vitest'
import { ApiError, parseFilterRules } from '../index.ts'

const label = { type: 'label', key: 'Env', operator: 'any_of', values: ['prod'] }

test('rules are kept with keys in lower case and without duplicates', () => {
  expect(parseFilterRules([label, label], 'deployments')).toEqual([{ ...label, key: 'env' }])
  expect(
    parseFilterRules(
      [{ type: 'attribute', key: 'created_by', operator: 'contains', values: ['1x'] }],
      'blueprints',
    ),
  ).toHaveLength(1)
  expect(
    parseFilterRules(
      [{ type: 'label', key: 'csys-location-lat', operator: 'is_null', values: [] }],
      'deployments',
    ),
  ).toHaveLength(1)
})

test.each([
  [{ ...label, type: 'x' }, /type must be one of/],
  [{ ...label, operator: 'contains' }, /operator for filtering by labels/],
  [{ ...label, operator: 'is_null' }, /must be empty/],
  [{ ...label, values: [] }, /at least one item/],
  [{ ...label, values: 'prod' }, /list of strings/],
  [{ ...label, extra: 1 }, /missing or unknown/],
  [{ ...label, key: 'csys-mine' }, /reserved/],
  [{ type: 'attribute', key: 'state', operator: 'any_of', values: ['a'] }, /Allowed attributes/],
  [{ type: 'attribute', key: 'schedules', operator: 'any_of', values: ['a'] }, /only operator/],
  ['x', /not a dictionary/],
  [{ type: 'attribute', key: 'id', operator: 'any_of', values: ['a b'] }, /illegal characters/],
  [{ type: 'attribute', key: 'id', operator: 'any_of', values: [''] }, /is empty/],
  [{ type: 'attribute', key: 'id', operator: 'any_of', values: ['x'.repeat(257)] }, /too long/],
])('%j is refused with the rule and the reason', (rule, reason) => {
  const error = (() => {
    try {
      return parseFilterRules([rule], 'deployments')
    } catch (thrown) {
      return thrown
    }
  })()
  expect(error).toBeInstanceOf(ApiError)
  expect((error as ApiError).toBody()).toMatchObject({
    error_code: 'invalid_filter_rule',
    err_filter_rule: rule,
    err_reason: expect.stringMatching(reason),
  })
})

test('a rule that is refused is printed as clients have always seen it', () => {
  const rule = { ...label, values: ["it's", 'a'], extra: null }
  expect(() => parseFilterRules([rule], 'deployments')).toThrow(
    `The filter rule {'type': 'label', 'key': 'Env', 'operator': 'any_of', 'values': ["it's", 'a'], 'extra': None} is not in the right format.`,
  )
})

test.each([
  [null, 'NoneType'],
  ['x', 'str'],
  [{}, 'dict'],
  [5, 'int'],
])('%j are no rules', (rules, type) => {
  expect(() => parseFilterRules(rules, 'deployments')).toThrow(
    `filter_rules parameter is expected to be of type list but is of type ${type}`,
  )
})
