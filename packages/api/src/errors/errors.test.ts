import { expect, test } from 'vitest'
import {
  ApiError,
  badParameter,
  duplicate,
  errorCatalogue,
  forbidden,
  notFound,
  unknownKeys,
} from '../index.ts'

test('an error carries the status of its code and prints the body that clients read', () => {
  const error = new ApiError('conflict_error', 'taken', { hint: 'choose another', details: { id: 'a' } })
  expect(error.status).toBe(409)
  expect(error.toBody()).toEqual({
    message: 'taken',
    error_code: 'conflict_error',
    server_traceback: null,
    hint: 'choose another',
    id: 'a',
  })
  expect(badParameter('x').toBody()).not.toHaveProperty('hint')
})

test('the codes with unusual statuses keep them', () => {
  expect(errorCatalogue.blueprint_in_use.status).toBe(405)
  expect(errorCatalogue.plugin_in_use.status).toBe(405)
  expect(errorCatalogue.dependent_exists_error.status).toBe(400)
  expect(errorCatalogue.maintenance_mode_active.status).toBe(503)
})

test('messages have the formats that clients match on', () => {
  expect(notFound('Blueprint', 'web').message).toBe('Requested `Blueprint` with ID `web` was not found')
  expect(notFound('Site', 'x', { tenant: 't' }).message).toContain("(filters: {'tenant': 't'})")
  expect(duplicate('Deployment', 'x', 't').message).toBe(
    '<Deployment id=`x` tenant=`t`> already exists on <Tenant name=`t`> or with global visibility',
  )
  expect(forbidden('bob', 'node_list', 't').message).toBe(
    'User `bob` is not permitted to perform the action node_list in the tenant `t`',
  )
  expect(unknownKeys('Include', ['a'], ['b', 'c'])).toMatchObject({
    code: 'no_such_include_field_error',
    message: "Include keys '['a']' do not exist. Allowed keys are: ['b', 'c']",
  })
})
