import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { mkdtemp, readdir, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, beforeEach, expect, test } from 'vitest'
import { lockDataFolder } from './data-folder-lock.ts'
import { identifyProcess, pidSpace } from './process-identity.ts'

let folder: string
beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), 'tutti-lock-'))
})
afterEach(async () => await rm(folder, { recursive: true, force: true }))

const nowhereElse = async () => false

async function writeOwner(number: number, change: object) {
  const self = await identifyProcess(process.pid)
  const owner = { ...self, pidSpace: await pidSpace(), since: '2026-11-21', released: false, ...change }
  await writeFile(join(folder, `owner-${number}`), JSON.stringify(owner))
}

test('a folder has one owner at a time, and can be owned again once released', async () => {
  const lock = await lockDataFolder(folder, nowhereElse)
  await expect(lockDataFolder(folder, nowhereElse)).rejects.toMatchObject({ code: 'data_folder_in_use' })
  await lock.release()
  await (await lockDataFolder(folder, nowhereElse)).release()
})

test('an owner that died is no owner, even when its pid lives again', async () => {
  const child = spawn(process.execPath, ['-e', ''])
  await once(child, 'exit')
  await writeOwner(1, { pid: child.pid })
  await (await lockDataFolder(folder, nowhereElse)).release()
  await writeOwner(7, { startedAt: 'another time' })
  await (await lockDataFolder(folder, nowhereElse)).release()
  expect(await readdir(folder)).toEqual(['owner-8'])
})

test('of many that find a dead owner exactly one takes over', async () => {
  await writeOwner(3, { startedAt: 'another time' })
  const attempts = Array.from({ length: 20 }, () => lockDataFolder(folder, nowhereElse))
  const won = (await Promise.allSettled(attempts)).filter(({ status }) => status === 'fulfilled')
  expect(won).toHaveLength(1)
  expect(await readdir(folder)).toEqual(['owner-4'])
})

test('an owner in another container counts as alive while a PostgreSQL answers in the folder', async () => {
  await writeOwner(1, { pidSpace: 'another container' })
  await expect(lockDataFolder(folder, async () => true)).rejects.toMatchObject({ code: 'data_folder_in_use' })
  await (await lockDataFolder(folder, nowhereElse)).release()
})

test('a damaged owner file does not lock the folder for ever', async () => {
  await writeFile(join(folder, 'owner-1'), '')
  await (await lockDataFolder(folder, nowhereElse)).release()
})
