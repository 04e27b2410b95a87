import { expect, test } from 'vitest'
import { eventTypeName, parseEventTypes } from '../index.ts'

test('the answer is in the words of the question', () => {
  expect(parseEventTypes([])).toEqual({ kinds: ['event', 'log'], vocabulary: 'svc' })
  expect(parseEventTypes(['cloudify_event'])).toEqual({ kinds: ['event'], vocabulary: 'cloudify' })
  expect(parseEventTypes(['svc_log', 'svc_event'])).toEqual({ kinds: ['log', 'event'], vocabulary: 'svc' })
  expect(eventTypeName('log', 'cloudify')).toBe('cloudify_log')
  expect(() => parseEventTypes(['other'])).toThrow(/Unknown event type: other/)
})

test('include_logs adds or leaves out logs', () => {
  expect(parseEventTypes(['svc_event'], true).kinds).toEqual(['event', 'log'])
  expect(parseEventTypes([], false).kinds).toEqual(['event'])
  expect(parseEventTypes(['svc_log'], false).kinds).toEqual(['log'])
})
