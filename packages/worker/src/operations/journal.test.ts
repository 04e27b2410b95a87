import { appendFileSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import type { OperationRecord } from '@tutti/engine'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { type ContractManager, startContractManager } from '../../test/contract-manager.ts'
import { operationRequest } from '../../test/operation-request.ts'
import { until } from '../../test/until.ts'
import { ways } from '../../test/ways.ts'
import { followJournal } from './journal.ts'
import { runOperation } from './run-operation.ts'

let manager: ContractManager
let folder: string

beforeAll(async () => {
  manager = await startContractManager()
  folder = mkdtempSync(join(tmpdir(), 'tutti-journal-'))
})

afterAll(async () => {
  await manager.close()
  rmSync(folder, { recursive: true })
})

describe.each(ways)('%s', (_way, start) => {
  /** Runs Python; what came of it, what the worker was told, and what was sent to the manager. */
  async function run(text: string, signal = new AbortController().signal) {
    const records: OperationRecord[] = []
    const before = manager.logs.length
    const request = operationRequest(
      { folder, port: manager.port },
      { script_source: `from cloudify import ctx\n${text}`, process: { eval_python: true } },
      { said: (more) => records.push(...more), warn: () => {} },
    )
    const outcome = await runOperation(request, start, signal)
    const messages = records.map(({ message }) => message).filter((message) => !/^Downloaded/.test(message))
    return { outcome, records, messages, sent: manager.logs.slice(before) }
  }

  test('what an operation says is told to the worker as it was said', async () => {
    const { records, sent } = await run("ctx.logger.warning('a\\nb\\0')\nctx.send_event('done')")
    expect(records.at(-2)).toMatchObject({
      ...{ isLog: true, level: 'warning', logger: 'ctx.task', message: 'a\nb\0', type: null },
      ...{ operation: 'create', nodeInstanceId: 'web_1', sourceId: null, errorCauses: [] },
    })
    expect(records.at(-1)).toMatchObject({ isLog: false, type: 'plugin_event', message: 'done' })
    expect(sent).toEqual([])
  })

  test('it is told while the operation runs, and of one that is killed', async () => {
    const abort = new AbortController()
    const seen: string[] = []
    const request = operationRequest(
      { folder, port: manager.port },
      { script_source: '#!/bin/bash\nctx logger info first\necho last >&2\nsleep 600' },
      { said: (more) => seen.push(...more.map(({ message }) => message)) },
    )
    const running = runOperation(request, start, abort.signal)
    await until(() => seen.includes('first') && seen.includes('<err> last'))
    abort.abort()
    expect(await running).toMatchObject({ error: { kind: 'killed' } })
    expect(new Set(seen).size).toBe(seen.length)
  })

  test.each([
    ['ends without a word', 'import os; os._exit(3)'],
    ['is killed by a signal', 'import os, signal; os.kill(os.getpid(), signal.SIGKILL)'],
    ['fails', 'raise RuntimeError()'],
  ])('what one that %s has said is told', async (_what, end) => {
    const { outcome, messages } = await run(`ctx.logger.info('before')\n${end}`)
    expect(outcome.ok).toBe(false)
    expect(messages).toEqual(['before'])
  })

  test('what there is no room for is sent to the manager, and so is what a forked process says', async () => {
    const much = await run("for n in range(8): ctx.logger.info('%d ' % n + 'x' * 100_000)\nctx.returns('r')")
    expect(much.outcome).toEqual({ ok: true, result: 'r' })
    const firsts = (texts: readonly string[]) => texts.map((text) => text.slice(0, 2).trim())
    expect(firsts(much.messages)).toEqual(['0', '1', '2', '3', '4'])
    expect(firsts(much.sent)).toEqual(['5', '6', '7'])
    const forked = await run(
      "import os\nctx.logger.info('one')\nif os.fork() == 0:\n    ctx.logger.info('two')\n    os._exit(0)\nos.wait()\nctx.logger.info('three')",
    )
    expect([forked.messages, forked.sent]).toEqual([['one', 'three'], ['two']])
  })

  test('an operation that closes or removes what it does not know loses nothing', async () => {
    const closing =
      "import os\nctx.logger.info('one')\nos.closerange(3, 100)\nctx.logger.info('two')\nctx.returns(1)"
    const closed = await run(closing)
    expect(closed.outcome).toEqual({ ok: true, result: 1 })
    expect([closed.messages, closed.sent]).toEqual([['one'], ['two']])
  })
})

test('lines that nobody of ours has written are no records, and harm none that are', async () => {
  const own = mkdtempSync(join(folder, 'lines-'))
  const said: OperationRecord[] = []
  const warnings: string[] = []
  const journal = followJournal(own, {
    said: (records) => said.push(...records),
    warn: (_error, what) => warnings.push(what),
  })
  const record = (message: string) => `["logs", {"message": "${message}", "context": {}}]\n`
  const deep = `${'['.repeat(2_000)}${']'.repeat(2_000)}`
  const bad = [
    ...[
      'nonsense',
      '[]',
      '["logs"]',
      '["others", {}]',
      '["logs", []]',
      '["logs", {"level": 3}]',
      '3',
      'null',
      deep,
    ],
    ...['["events", {}]', '["logs", {"timestamp": "yesterday"}]', `["logs", {"context": {"a": ${deep}}}]`],
  ]
  writeFileSync(join(own, 'input.json'), `${record('one')}${bad.join('\n')}\n\n${record('two')}`)
  appendFileSync(join(own, 'input.json'), `["logs", {"message": "half`)
  await journal.end()
  expect(said.map(({ message }) => message)).toEqual(['one', 'two'])
  expect(warnings).toHaveLength(1)
})

test('what was told already is not told again with the answer', async () => {
  const own = mkdtempSync(join(folder, 'again-'))
  const said: string[] = []
  const journal = followJournal(own, {
    said: (records) => said.push(...records.map(({ message }) => message)),
    warn: (error) => {
      throw error
    },
  })
  const record = (message: string) => `["logs", {"message": "${message}"}]\n`
  writeFileSync(join(own, 'input.json'), `${record('é')}${'\0'.repeat(100)}`)
  await until(() => said.length > 0)
  expect(await journal.take(`${record('é')}${record('two')}{"type": "result"}`)).toBe('{"type": "result"}')
  await journal.end()
  expect(said).toEqual(['é', 'two'])
})
