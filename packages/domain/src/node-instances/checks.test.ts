import { expect, test } from 'vitest'
import { afterState, checkResults } from './checks.ts'

test('an instance that was never checked has no drift and is not known to be well', () => {
  expect(checkResults({})).toEqual({ hasConfigurationDrift: false, isStatusCheckOk: false })
})

test.each([
  ['its own check failed', { configuration_drift: { ok: false, result: null } }],
  ['its own check found something', { configuration_drift: { ok: true, result: { size: 2 } } }],
  ['a relationship of it drifted', { source_relationships_configuration_drift: { other_1: { ok: false } } }],
  ['a relationship to it drifted', { target_relationships_configuration_drift: { other_1: { result: [] } } }],
])('drift shows when %s', (_, properties) => {
  expect(checkResults(properties).hasConfigurationDrift).toBe(true)
})

test('checks without findings are no drift, and the status says itself whether it is well', () => {
  const properties = { configuration_drift: { ok: true, result: null }, status: { ok: true } }
  expect(checkResults(properties)).toEqual({ hasConfigurationDrift: false, isStatusCheckOk: true })
  expect(checkResults({ status: { ok: 'yes' } }).isStatusCheckOk).toBe(false)
})

test('reaching configured clears the drift, reaching started the status; other states change nothing', () => {
  const now = new Date('2026-11-21T10:00:00Z')
  const fine = { ok: true, result: null, task: null, timestamp: '2026-11-21T10:00:00.000Z' }
  expect(afterState({ a: 1 }, 'configured', now)).toEqual({ a: 1, configuration_drift: fine })
  expect(afterState({ a: 1 }, 'started', now)).toEqual({ a: 1, previous_status: null, status: fine })
  expect(afterState({ a: 1 }, 'creating', now)).toEqual({ a: 1 })
})
