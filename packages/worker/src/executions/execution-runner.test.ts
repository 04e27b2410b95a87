import { ApiError } from '@tutti/api'
import { Stopped } from '@tutti/engine'
import { type ExecutionRow, LeaseLost } from '@tutti/storage'
import { expect, test } from 'vitest'
import type { WorkerServices } from '../services.ts'
import { newControl } from './control.ts'
import { createRunner } from './execution-runner.ts'

function runner() {
  const execution = { tenant_id: 3, id: 'e', lease_fence: 7, step: 5, status: 'started' } as ExecutionRow
  const control = newControl(execution, 1_000)
  const logged: unknown[] = []
  const log = { error: (fields: unknown) => logged.push(fields) }
  const services = { log, now: Date.now } as unknown as WorkerServices
  return { ...createRunner(services, execution, control, 'token'), control, logged }
}

test('what another worker is to go on with is no failure', () => {
  const { failureOf, control, logged } = runner()
  const lease = { tenantId: 3, executionId: 'e', fence: 7 }
  const away = Object.assign(new Error('connect ECONNREFUSED'), { code: 'ECONNREFUSED' })
  for (const error of [new LeaseLost(lease), new Stopped('this worker drains'), away]) {
    expect(failureOf(error)).toBeUndefined()
  }
  control.lose()
  expect(failureOf(new TypeError('half done'))).toBeUndefined()
  expect(logged).toEqual([])
})

test('any other error ends the execution, in words that everybody may see, and is in the log', () => {
  const { failureOf, logged } = runner()
  expect(failureOf(new ApiError('conflict_error', 'it is taken'))).toBe('it is taken')
  expect(failureOf(new TypeError('secret.toLowerCase is not a function'))).not.toContain('secret')
  expect(logged).toHaveLength(2)
})
