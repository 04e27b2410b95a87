import { execFileSync } from 'node:child_process'
import { mkdtemp, rm, symlink, truncate, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, beforeEach, describe, expect, test } from 'vitest'
import { outputLimitBytes, readOutput } from './read-output.ts'

let folder: string
let file: string
beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), 'tutti-output-'))
  file = join(folder, 'output.json')
})
afterEach(() => rm(folder, { recursive: true }))

const read = () => readOutput(file, 'the task')

async function readOf(output: unknown) {
  await writeFile(file, JSON.stringify(output))
  return read()
}

const errorOf = (payload: Readonly<Record<string, unknown>>) => readOf({ type: 'error', payload })

describe('results', () => {
  test.each([null, 0, '', false, [], { a: [1, { b: null }] }])('%j is what was returned', async (payload) => {
    expect(await readOf({ type: 'result', payload })).toEqual({ ok: true, result: payload })
  })

  test('none is null', async () => {
    expect(await readOf({ type: 'result' })).toEqual({ ok: true, result: null })
  })
})

describe('what is no answer', () => {
  test('no file', async () => {
    expect(await read()).toEqual({
      missing: 'the task ended without an answer: its process wrote no output.json',
    })
  })

  test.each(['', '{', 'null', '[]', '"result"', '{}', '{"type":"other"}', '{"type":"error","payload":[]}'])(
    '%s',
    async (text) => {
      await writeFile(file, text)
      expect(await read()).toEqual({ missing: `the task answered what is not an answer: ${text}` })
    },
  )

  test('is shown in part', async () => {
    await writeFile(file, 'x'.repeat(1_000))
    expect(await read()).toEqual({
      missing: `the task answered what is not an answer: ${'x'.repeat(200)}`,
    })
  })

  test('a link, wherever it leads', async () => {
    await writeFile(join(folder, 'secret'), '{"type":"result","payload":"secret"}')
    await symlink('secret', file)
    expect(await read()).toHaveProperty('missing')
  })

  test('a pipe that nobody writes to', async () => {
    execFileSync('mkfifo', [file])
    expect(await read()).toHaveProperty('missing')
  })

  test('a folder', async () => {
    file = folder
    expect(await read()).toHaveProperty('missing')
  })
})

describe('what would cost all others', () => {
  test('an answer that is too long is not read', async () => {
    await writeFile(file, '')
    await truncate(file, outputLimitBytes + 1)
    expect(await read()).toMatchObject({
      ok: false,
      error: { kind: 'non-recoverable', message: expect.stringContaining('answered more than 16 MiB') },
    })
  })

  // Two levels are the answer's own.
  test.each([
    [498, true],
    [499, true],
    [500, false],
  ])('a result of %i levels: %j', async (levels, isTaken) => {
    await writeFile(file, `{"type":"result","payload":${'['.repeat(levels)}${']'.repeat(levels)}}`)
    expect(await read()).toMatchObject({ ok: isTaken })
  })
})

describe('errors', () => {
  test.each([
    ['RecoverableError', 'recoverable'],
    ['OperationRetry', 'retry'],
    ['NonRecoverableError', 'non-recoverable'],
    ['HttpException', 'non-recoverable'],
    ['whatever', 'recoverable'],
    [undefined, 'recoverable'],
    [7, 'recoverable'],
  ])('%s is %s', async (known, kind) => {
    expect(
      await errorOf({ known_exception_type: known, exception_type: 'Mine', message: 'no' }),
    ).toMatchObject({ ok: false, error: { kind, type: 'Mine' } })
  })

  test.each([
    [30, 30_000, 'no [retry_after=30]'],
    ['2.5', 2_500, 'no [retry_after=2.5]'],
    [0, 0, 'no [retry_after=0]'],
  ])('one says when to try again: %j', async (after, retryAfterMs, message) => {
    expect(
      await errorOf({
        known_exception_type: 'OperationRetry',
        known_exception_type_args: ['', after].slice(1),
        message: 'no',
      }),
    ).toMatchObject({ error: { kind: 'retry', retryAfterMs, message } })
  })

  test.each([-1, '', 'soon', null, [1], true])('%j is no time', async (after) => {
    const outcome = await errorOf({
      known_exception_type: 'RecoverableError',
      known_exception_type_args: [after],
      message: 'no',
    })
    expect(outcome).toMatchObject({ error: { message: 'no' } })
    expect(outcome).not.toHaveProperty('error.retryAfterMs')
  })

  test('what is not tried again has no time', async () => {
    const outcome = await errorOf({
      known_exception_type: 'NonRecoverableError',
      known_exception_type_args: [5],
      message: 'no',
    })
    expect(outcome).toMatchObject({ error: { kind: 'non-recoverable', message: 'no' } })
    expect(outcome).not.toHaveProperty('error.retryAfterMs')
  })

  test('an answer of a web server is part of the message', async () => {
    expect(
      await errorOf({
        known_exception_type: 'HttpException',
        known_exception_type_args: ['http://host/x', 404],
        message: 'not there',
      }),
    ).toMatchObject({ error: { message: 'http://host/x (404) : not there' } })
  })

  test('the error is the last of its causes, and what is none is left out', async () => {
    expect(
      await errorOf({
        exception_type: 'Mine',
        message: 'no',
        traceback: 'line 1',
        known_exception_type_kwargs: { causes: [{ message: 'first', traceback: 'line 0' }, 'x', null, {}] },
      }),
    ).toMatchObject({
      error: {
        traceback: 'line 1',
        causes: [
          { message: 'first', type: 'Exception', traceback: 'line 0' },
          { message: '', type: 'Exception', traceback: null },
          { message: 'no', type: 'Mine', traceback: 'line 1' },
        ],
      },
    })
  })
})
