import { mkdir, mkdtemp, rm, stat, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, beforeEach, expect, test } from 'vitest'
import { chooseResourcesFolder } from './resources-folder.ts'

let folder: string
beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), 'tutti-resources-'))
  for (const name of ['a', 'b']) await mkdir(join(folder, name))
})
afterEach(() => rm(folder, { recursive: true }))

/** Two databases, each with a data folder. */
const choose = (name: 'a' | 'b', more: { resourcesFolder?: string; isRoot?: boolean } = {}) =>
  chooseResourcesFolder(
    { dataFolder: join(folder, name), resourcesFolder: more.resourcesFolder },
    `database-${name}`,
    { usual: join(folder, 'opt/manager/resources'), isRoot: more.isRoot ?? true },
  )
const usual = () => join(folder, 'opt/manager/resources')

test('root has the usual folder where nothing else is there, and keeps it', async () => {
  expect(await choose('a', { isRoot: false })).toBe(join(folder, 'a/resources'))
  expect(await choose('a')).toBe(usual())
  expect(await choose('b')).toBe(join(folder, 'b/resources'))
  expect(await choose('a')).toBe(usual())
})

test('whatever the umask, what is made on the way to it can be passed through', async () => {
  const before = process.umask(0o077)
  try {
    await choose('a')
  } finally {
    process.umask(before)
  }
  for (const made of [join(folder, 'opt'), join(folder, 'opt/manager'), usual()]) {
    expect((await stat(made)).mode & 0o777, made).toBe(0o711)
  }
  expect((await stat(join(usual(), '.tutti'))).mode & 0o777).toBe(0o700)
})

test("another manager's folder is left alone", async () => {
  await mkdir(join(usual(), 'blueprints/default_tenant/theirs'), { recursive: true })
  expect(await choose('a')).toBe(join(folder, 'a/resources'))
  // Unless it is named.
  expect(await choose('a', { resourcesFolder: usual() })).toBe(usual())
  expect(await choose('a')).toBe(usual())
  await expect(choose('b', { resourcesFolder: usual() })).rejects.toThrow('belongs to another Tutti')
})

test('what belonged to a database that is no more is free', async () => {
  expect(await choose('a')).toBe(usual())
  await rm(join(folder, 'a'), { recursive: true })
  expect(await choose('b')).toBe(usual())
})

test('a data folder that begins anew begins with a folder of its own', async () => {
  const own = join(folder, 'a/resources')
  await mkdir(join(own, '.tutti'), { recursive: true })
  await writeFile(join(own, '.tutti/database'), JSON.stringify({ installation: 'old', dataFolder: folder }))
  expect(await choose('a', { isRoot: false })).toBe(own)
})

test('of several that begin at once one has it', async () => {
  const chosen = await Promise.all([choose('a'), choose('b'), choose('a'), choose('b')])
  const owners = new Set(chosen.flatMap((one, index) => (one === usual() ? [index % 2] : [])))
  expect(owners.size).toBe(1)
})

test('the users of operations can pass through every folder on the way', async () => {
  const named = join(folder, 'some/where/resources')
  await choose('a', { resourcesFolder: named })
  for (const path of ['some', 'some/where', 'some/where/resources']) {
    expect([path, (await stat(join(folder, path))).mode & 0o001]).toEqual([path, 0o001])
  }
  expect((await stat(join(named, '.tutti'))).mode & 0o777).toBe(0o700)
})
