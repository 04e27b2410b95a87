import {
  appendFileSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  statSync,
  writeFileSync,
} from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { type ContractManager, startContractManager } from '../../test/contract-manager.ts'
import { operationRequest } from '../../test/operation-request.ts'
import { removeLog, rotate } from './rotating-log.ts'
import { runOperation } from './run-operation.ts'
import { startCold } from './start-cold.ts'

let manager: ContractManager
let folder: string
beforeAll(async () => {
  manager = await startContractManager()
  folder = mkdtempSync(join(tmpdir(), 'tutti-logs-'))
})
afterAll(async () => {
  await manager.close()
  rmSync(folder, { recursive: true })
})

const logs = () => join(folder, 'log')
const sizes = () => readdirSync(logs()).map((name) => statSync(join(logs(), name)).size)
const limits = { maxBytes: 100_000, files: 3 }
/** A file may hold a quarter more, from while it was put aside, and say how much is left out. */
const most = limits.maxBytes * 1.25 + 200

function print(name: string, lines: number) {
  const text = `for number in range(${lines}): print('${name}', number, 'x' * 1000)\nprint('${name}', 'end')`
  const kwargs = { script_source: text, process: { eval_python: true } }
  const request = operationRequest({ folder, port: manager.port }, kwargs, { logLimits: limits })
  return runOperation(request, startCold, new AbortController().signal)
}

test('what operations print stays within its bounds, and the last of it is kept', async () => {
  for (const lines of [50, 3000, 50, 90]) {
    expect(await print('alone', lines)).toEqual({ ok: true, result: null })
    for (const size of sizes()) expect(size).toBeLessThanOrEqual(most)
    expect(sizes().length).toBeLessThanOrEqual(limits.files)
  }
  const [newest, before] = ['d.log', 'd.log.1'].map((name) => readFileSync(join(logs(), name), 'utf8'))
  expect(`${before}${newest}`).toMatch(/alone 89 x+\nalone end\n$/)
})

test('operations that print at once share one log', async () => {
  const names = ['one', 'two', 'three', 'four']
  const outcomes = await Promise.all(names.map((name) => print(name, 500)))
  expect(outcomes).toEqual(names.map(() => ({ ok: true, result: null })))
  for (const size of sizes()) expect(size).toBeLessThanOrEqual(most)
  expect(sizes().length).toBeLessThanOrEqual(limits.files)
})

test('files move one further, and the oldest goes', async () => {
  const file = join(folder, 'moved.log')
  const contents = () =>
    ['', '.1', '.2', '.3'].map((end) => {
      try {
        return readFileSync(file + end, 'utf8')
      } catch {
        return null
      }
    })
  for (const text of ['a', 'b', 'c', 'd']) {
    appendFileSync(file, text.repeat(10))
    await rotate(file, { maxBytes: 10, files: 3 })
  }
  expect(contents()).toEqual(['', 'dddddddddd', 'cccccccccc', null])
  writeFileSync(file, '0123456789abc')
  await rotate(file, { maxBytes: 10, files: 2 })
  expect(contents().slice(0, 2)).toEqual(['', '[… 3 bytes of output are left out here …]\n3456789abc'])
  await rotate(file, { maxBytes: 10, files: 1 })
  expect(contents()[0]).toBe('')
})

test('a log goes with all its numbers, and those of others stay', async () => {
  const names = ['x.log', 'x.log.1', 'x.log.12', 'x.log.1.log', 'x.logs', 'xx.log']
  for (const name of names) writeFileSync(join(folder, name), '')
  await removeLog(join(folder, 'x.log'))
  expect(names.filter((name) => readdirSync(folder).includes(name))).toEqual([
    'x.log.1.log',
    'x.logs',
    'xx.log',
  ])
  await removeLog(join(folder, 'nowhere', 'x.log'))
})
