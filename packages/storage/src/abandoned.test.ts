import { mkdir, mkdtemp, readdir, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, beforeEach, expect, test } from 'vitest'
import { createAbandonedSweep } from './abandoned.ts'

let folder: string
let time = 0
const wanted = new Set<string>()

beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), 'tutti-abandoned-'))
  wanted.clear()
  time = 0
})
afterEach(() => rm(folder, { recursive: true, force: true }))

const sweepOf = (remove?: (path: string) => Promise<void>) =>
  createAbandonedSweep(folder, {
    wanted: async () => wanted,
    afterMs: 10,
    now: () => time,
    ...(remove && { remove }),
  })

async function make(name: string): Promise<void> {
  await mkdir(join(folder, name))
  await writeFile(join(folder, name, 'file'), name)
}

test('only what nothing has referred to for the whole time goes', async () => {
  for (const name of ['kept', 'old', 'again']) await make(name)
  wanted.add('kept')
  const sweep = sweepOf()
  expect(await sweep()).toEqual([])
  time = 9
  wanted.add('again')
  expect(await sweep()).toEqual([])
  wanted.delete('again')
  time = 10
  expect(await sweep()).toEqual(['old'])
  expect((await readdir(folder)).sort()).toEqual(['again', 'kept'])
  time = 20
  expect(await sweep()).toEqual(['again'])
})

test('a folder that is not there has nothing to remove', async () => {
  await rm(folder, { recursive: true })
  expect(await sweepOf()()).toEqual([])
})

test('what a killed sweep left goes with a later one, and nobody finds half of it under its name', async () => {
  await make('old')
  const killed = sweepOf(async () => {
    throw new Error('killed')
  })
  await killed()
  time = 10
  await expect(killed()).rejects.toThrow('killed')
  expect(await readdir(folder)).not.toContain('old')
  const sweep = sweepOf()
  await sweep()
  time = 20
  await sweep()
  expect(await readdir(folder)).toEqual([])
})

test('two at once remove a thing once', async () => {
  await make('old')
  const sweeps = [sweepOf(), sweepOf()]
  await Promise.all(sweeps.map((sweep) => sweep()))
  time = 10
  await Promise.all(sweeps.map((sweep) => sweep()))
  expect(await readdir(folder)).toEqual([])
})
