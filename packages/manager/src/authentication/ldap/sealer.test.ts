import { mkdtemp, readdir, rm, stat } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { openSealer } from './sealer.ts'

let folder: string
beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'tutti-sealer-'))
})
afterAll(() => rm(folder, { recursive: true }))

test('managers that start at once on one folder use one key, which is its owner’s only', async () => {
  const data = join(folder, 'data')
  const sealers = await Promise.all([1, 2, 3, 4].map(() => openSealer(data)))
  const sealed = sealers.map((sealer) => sealer.seal('höre'))
  expect(new Set(sealed).size).toBe(4)
  for (const one of sealers) expect(sealed.map(one.open)).toEqual(['höre', 'höre', 'höre', 'höre'])
  expect(await readdir(data)).toEqual(['ldap-key'])
  expect((await stat(join(data, 'ldap-key'))).mode & 0o777).toBe(0o600)
})

test('what another key sealed, or what was changed, is not opened', async () => {
  const one = await openSealer(join(folder, 'one'))
  const other = await openSealer(join(folder, 'other'))
  expect(() => other.open(one.seal('secret'))).toThrow(/another key/)
  expect(() => one.open(`AAAA${one.seal('secret')}`)).toThrow(/another key/)
})
