import { expect, test } from 'vitest'
import { planOf } from '../../test/parse.ts'
import { defaultSchedules, inputNameProblems } from '../index.ts'

test('schedules of the blueprint become those of the schedule call', async () => {
  const plan = await planOf(`tosca_definitions_version: cloudify_dsl_1_5
deployment_settings:
  default_schedules:
    nightly:
      workflow: backup
      since: +1 day +2 h
      until: '2035-1-1 19:30'
      timezone: EST
      recurrence: 1 day
      weekdays: [mo, l-fr]
      default_enabled: false
      stop_after_fail: true
      workflow_parameters: {x: 1}
      execution_arguments: {is_dry_run: true, force: false}`)
  expect(defaultSchedules(plan.deployment_settings, new Date('2026-11-21T12:00:42Z'))).toEqual([
    {
      id: 'nightly',
      workflow_id: 'backup',
      parameters: { x: 1 },
      execution_arguments: { dry_run: true, force: false },
      since: '2026-11-22 14:00:00',
      until: '2035-01-02 00:30:00',
      recurrence: '1 day',
      weekdays: ['mo', 'l-fr'],
      count: null,
      slip: 0,
      enabled: false,
      stop_on_fail: true,
    },
  ])
})

test('an input must be given unless it has a default or is not required', () => {
  const schema = { a: {}, b: { default: null }, c: { required: false }, d: { type: 'point' } }
  expect(inputNameProblems(schema, { x: 1 })).toEqual({ missing: ['a', 'd'], unknown: ['x'] })
})
