import { existsSync, mkdirSync, mkdtempSync, readdirSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, beforeEach, expect, test } from 'vitest'
import { openEnvironmentsFolder, pythonOf } from './folders.ts'
import { createInstallations, type Installation } from './installations.ts'
import { readNote } from './notes.ts'

let root: string
beforeEach(async () => {
  root = mkdtempSync(join(tmpdir(), 'tutti-installations-'))
  await openEnvironmentsFolder(root)
})
afterEach(() => rmSync(root, { recursive: true }))

const environments = () => readdirSync(root).filter((name) => name !== '.tutti')

function fill(folder: string): readonly string[] {
  mkdirSync(join(folder, 'bin'))
  writeFileSync(pythonOf(folder), '')
  return ['p==1.0']
}

const installation = (make: Installation['make']): Installation => ({
  name: 'p-1.0',
  origin: { kind: 'wagon', tenantId: 0, pluginId: 'p', sha256: 'wagon' },
  user: null,
  make,
})

test('all that ask at once, of all workers of the machine, wait for one installation', async () => {
  // Workers of one process are told apart by their folders' owners as those of several are: by the lock.
  const workers = [createInstallations(root), createInstallations(root)]
  const begun = Promise.withResolvers<void>()
  const goOn = Promise.withResolvers<void>()
  let made = 0
  const one = installation(async (folder) => {
    made += 1
    begun.resolve()
    await goOn.promise
    return fill(folder)
  })
  const asked = [...workers, ...workers].map((worker) => worker.ensure(one))
  await begun.promise
  expect(await workers[0]?.find('p-1.0')).toBeUndefined()
  goOn.resolve()
  const folders = await Promise.all(asked)
  expect(new Set(folders).size).toBe(1)
  expect(made).toBe(1)
  expect(environments().map((name) => join(root, name))).toEqual([folders[0]])
})

test('what fails leaves nothing, is said to all who waited, and is begun again by the next', async () => {
  const worker = createInstallations(root)
  const failing = installation(async (folder) => {
    fill(folder)
    throw new Error('refused')
  })
  const asked = await Promise.allSettled([worker.ensure(failing), worker.ensure(failing)])
  expect(asked.map(({ status }) => status)).toEqual(['rejected', 'rejected'])
  expect([environments(), await readNote(root, 'p-1.0')]).toEqual([[], undefined])
  expect(existsSync(await worker.ensure(installation(async (folder) => fill(folder))))).toBe(true)
})

test('half of one that a killed worker left is not taken for an environment', async () => {
  fill(mkdirIn('p-1.0.half'))
  const worker = createInstallations(root)
  expect(await worker.find('p-1.0')).toBeUndefined()
  const folder = await worker.ensure(installation(async (path) => fill(path)))
  expect(folder).not.toContain('half')
  // Another worker finds it by its note.
  expect(await createInstallations(root).find('p-1.0')).toBe(folder)
})

test('one whose folder was removed is made again', async () => {
  const worker = createInstallations(root)
  const first = await worker.ensure(installation(async (folder) => fill(folder)))
  rmSync(first, { recursive: true })
  expect(await worker.find('p-1.0')).toBeUndefined()
  const second = await worker.ensure(installation(async (folder) => fill(folder)))
  expect([second === first, existsSync(second)]).toEqual([false, true])
})

test('the end of the worker ends what is being made, and keeps nothing of it', async () => {
  const worker = createInstallations(root)
  const begun = Promise.withResolvers<void>()
  const asked = worker.ensure(
    installation(async (folder, signal) => {
      fill(folder)
      begun.resolve()
      return new Promise((_resolve, reject) => signal.addEventListener('abort', () => reject(signal.reason)))
    }),
  )
  asked.catch(() => {})
  await begun.promise
  await worker.stop()
  await expect(asked).rejects.toThrow('the worker ends')
  expect(environments()).toEqual([])
})

function mkdirIn(name: string): string {
  const folder = join(root, name)
  mkdirSync(folder)
  return folder
}
