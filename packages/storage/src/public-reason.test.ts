import { readFileSync, statSync } from 'node:fs'
import { badParameter } from '@tutti/api'
import { expect, test } from 'vitest'
import { publicReason } from './public-reason.ts'

const thrownBy = (act: () => unknown): unknown => {
  try {
    return act()
  } catch (error) {
    return error
  }
}

test.each([
  ['a name that is too long', thrownBy(() => statSync(`/${'secret'.repeat(60)}`)), 'name too long'],
  ['a file that is not there', thrownBy(() => readFileSync('/srv/secret')), 'no such file or directory'],
  ['an error of ours', badParameter('The name is too long'), 'The name is too long'],
  ['the text for NUL', Object.assign(new Error('invalid byte sequence'), { code: '22021' }), 'NUL'],
  [
    'a database that is away',
    Object.assign(new Error('connect /run/x'), { code: 'ECONNREFUSED' }),
    'does not answer',
  ],
  ['a statement', Object.assign(new Error('syntax error at "select"'), { code: '42601' }), 'internal error'],
  ['a defect', new TypeError('x is undefined at /srv/secret'), 'internal error'],
  ['a text', 'at /srv/secret', 'internal error'],
  ['words of ours', new Error('Deployment web is gone\n    at file:///srv/secret'), 'Deployment web is gone'],
])('%s', (_what, error, reason) => {
  expect(publicReason(error)).toContain(reason)
  expect(publicReason(error)).not.toMatch(/secret|select|run|\n/)
})
