import { spawn } from 'node:child_process'
import { existsSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { type ContractManager, startContractManager } from '../../test/contract-manager.ts'
import { operationRequest } from '../../test/operation-request.ts'
import { until } from '../../test/until.ts'
import { ways } from '../../test/ways.ts'
import type { JsonValue, OperationOutcome } from './outcome.ts'
import type { OperationRequest } from './request.ts'
import { runOperation } from './run-operation.ts'

let manager: ContractManager
let folder: string
const never = new AbortController().signal

beforeAll(async () => {
  manager = await startContractManager()
})

afterAll(() => manager.close())

const messages: string[] = []

const request = (kwargs: Record<string, JsonValue>, changes: Partial<OperationRequest> = {}) =>
  operationRequest({ folder, port: manager.port }, kwargs, {
    said: (records) => messages.push(...records.map(({ message }) => message)),
    ...changes,
  })

async function errorOf(outcome: Promise<OperationOutcome>) {
  const ended = await outcome
  if (ended.ok) throw new Error(`it succeeded: ${JSON.stringify(ended.result)}`)
  return ended.error
}

function isAlive(pid: number): boolean {
  try {
    return !/\) Z /.test(readFileSync(`/proc/${pid}/stat`, 'utf8'))
  } catch {
    return false
  }
}

function sessionOf(pid: number): number {
  return Number(readFileSync(`/proc/${pid}/stat`, 'utf8').split(') ').at(-1)?.split(' ')[3])
}

function pidIn(file: string): number {
  return Number(readFileSync(file, 'utf8'))
}

function pidsIn(file: string): number[] {
  return readFileSync(file, 'utf8').trim().split(' ').map(Number)
}

/** Bash that makes the file at once, with all of the text in it. */
const written = (file: string, text: string) => `echo "${text}" > ${file}.part; mv ${file}.part ${file}`

describe.each(ways)('%s', (way, start) => {
  beforeAll(() => {
    folder = mkdtempSync(join(tmpdir(), 'tutti-operations-'))
  })

  afterAll(() => rmSync(folder, { recursive: true }))

  function bash(
    text: string,
    changes?: Partial<OperationRequest>,
    signal = never,
  ): Promise<OperationOutcome> {
    return runOperation(request({ script_source: `#!/bin/bash -e\n${text}` }, changes), start, signal)
  }

  function python(
    text: string,
    changes?: Partial<OperationRequest>,
    signal = never,
  ): Promise<OperationOutcome> {
    return runOperation(
      request({ script_source: text, process: { eval_python: true } }, changes),
      start,
      signal,
    )
  }

  test('a script reads properties, keeps runtime properties, says lines and returns a value', async () => {
    const outcome = await bash(
      "ctx instance runtime-properties port $(ctx node properties port)\necho said\nctx returns @'[1, null]'",
    )
    expect(outcome).toEqual({ ok: true, result: [1, null] })
    expect(manager.runtimeProperties.port).toBe('8080')
    expect(messages).toContain('<out> said')
    expect(manager.logs).toEqual([])
  })

  test('a script sees its surroundings, but not the secrets of the manager', async () => {
    const outcome = await bash(
      'ctx returns "$CLOUDIFY_DISPATCH $REST_HOST $REST_PORT $KEPT $TUTTI_DATABASE_URL$PGPASSWORD $EXTRA $PWD"',
      { context: { ...request({}).context, execution_env: { EXTRA: 'extra' } } },
    )
    const where = `true 127.0.0.1 ${manager.port} kept  extra ${join(folder, 'plugins')}`
    expect(outcome).toEqual({ ok: true, result: where })
  })

  test('an exception keeps its class, message, pause and causes', async () => {
    const failures: [string, object][] = [
      [
        'raise NonRecoverableError("no")',
        { kind: 'non-recoverable', type: 'NonRecoverableError', message: 'no' },
      ],
      [
        'raise RecoverableError("later", retry_after=2)',
        { kind: 'recoverable', message: 'later [retry_after=2]', retryAfterMs: 2000 },
      ],
      ['ctx.operation.retry("again")', { kind: 'retry', type: 'OperationRetry', message: 'again' }],
      ['raise HttpException("u", 404, "gone")', { kind: 'non-recoverable', message: 'u (404) : gone' }],
      ['raise KeyError("k")', { kind: 'recoverable', type: 'KeyError', message: "'k'" }],
    ]
    for (const [statement, expected] of failures) {
      const error = await errorOf(
        python(`from cloudify import ctx\nfrom cloudify.exceptions import *\n${statement}`),
      )
      expect(error).toMatchObject(expected)
      expect(error.causes?.at(-1)).toMatchObject({ message: error.message, type: error.type })
    }
  })

  test('an exit code other than 0 is retried', async () => {
    expect(await errorOf(bash('exit 3'))).toMatchObject({
      kind: 'recoverable',
      type: 'ProcessException',
      message: expect.stringContaining('exit_code: 3'),
    })
  })

  test('a process that dies gives no answer, and the error says how it died', async () => {
    expect((await errorOf(python('import os; os._exit(5)'))).message).toBe(
      'Unhandled exception occurred in operation dispatch (rc=5)',
    )
    expect((await errorOf(python('import os; os.kill(os.getpid(), 9)'))).message).toBe(
      'Process terminated (rc=-9)',
    )
    expect((await errorOf(python('import os; os._exit(0)'))).message).toContain('without an answer')
  })

  test('an answer that cannot be used is refused', async () => {
    const answer = (text: string) =>
      python(`
import os, sys
with open(os.path.join(sys.argv[1], 'output.json'), 'w') as target: target.write(${text})
os._exit(0)`)
    expect((await errorOf(answer("'[broken'"))).message).toContain('answered what is not an answer: [broken')
    expect((await errorOf(answer("'x' * (16 * 1024 * 1024 + 1)"))).message).toContain('more than 16 MiB')
    const nested = (levels: number) =>
      answer(`'{"type":"result","payload":' + '['*${levels} + ']'*${levels} + '}'`)
    expect(await nested(400)).toMatchObject({ ok: true })
    expect((await errorOf(nested(200_000))).message).toContain('nested more than 500 levels deep')
  })

  test('time limits kill the operation and everything it started', async () => {
    const pid = join(folder, 'timeout-pid')
    const slow = `sleep 60 & echo $! > ${pid}; wait`
    expect(await errorOf(bash(slow, { timeLimit: { ms: 5000, isRecoverable: false } }))).toMatchObject({
      kind: 'non-recoverable',
      message: 'Process killed due to timeout of 5 seconds',
    })
    expect(isAlive(pidIn(pid))).toBe(false)
    const again = await errorOf(bash('sleep 60', { timeLimit: { ms: 100, isRecoverable: true } }))
    expect(again).toMatchObject({ kind: 'recoverable', type: 'RecoverableError' })
  })

  test('an abort kills the operation, also one that refuses SIGTERM', async () => {
    const pid = join(folder, 'abort-pid')
    const abort = new AbortController()
    const running = errorOf(
      bash(
        `trap '' TERM; echo $$ > ${pid}.part; mv ${pid}.part ${pid}; while :; do sleep 0.05; done`,
        {},
        abort.signal,
      ),
    )
    await until(() => existsSync(pid))
    abort.abort()
    expect((await running).kind).toBe('killed')
    await until(() => !isAlive(pidIn(pid)))
    expect((await errorOf(bash('true', {}, abort.signal))).kind).toBe('killed')
  })

  test('daemons outlive the operation without holding it up', async () => {
    const pids = ['shell', 'python'].map((name) => join(folder, `daemon-${name}`))
    try {
      await bash(`sleep 60 & echo $! > ${pids[0]}`)
      await python(`
import subprocess
with open('${pids[1]}', 'w') as target: target.write(str(subprocess.Popen(['sleep', '60']).pid))`)
      for (const pid of pids) expect(isAlive(pidIn(pid))).toBe(true)
    } finally {
      for (const pid of pids) process.kill(pidIn(pid), 'SIGKILL')
    }
  })

  /** A process that does what a worker does with the operation. */
  function startWorker(name: string, kwargs: Record<string, JsonValue>, afterwards = '') {
    const program = join(folder, `${name}.ts`)
    writeFileSync(
      program,
      `import { runOperation } from '${join(import.meta.dirname, 'run-operation.ts')}'
import { ways } from '${join(import.meta.dirname, '../../test/ways.ts')}'
const start = new Map(ways).get('${way}')
await runOperation({ ...${JSON.stringify(request(kwargs))}, said() {} }, start, new AbortController().signal)
${afterwards}`,
    )
    return spawn(process.execPath, [program], { stdio: 'ignore' })
  }

  const inPython = (text: string) => ({ script_source: text, process: { eval_python: true } })
  // Python's interpreter lock is not given back before the end of the world.
  const holdTheLock = "import re; re.match('(a+)+$', 'a' * 60 + 'b')"

  test.each([
    [
      'a bash script',
      (pids: string) => ({
        script_source: `#!/bin/bash\nsleep 60 & ${written(pids, '$(cut -d" " -f5 /proc/$$/stat) $$ $!')}; wait`,
      }),
    ],
    [
      'Python that keeps the interpreter lock',
      (pids: string) =>
        inPython(`
import os, subprocess
child = subprocess.Popen(['sleep', '60'])
with open('${pids}.part', 'w') as target: target.write(f'{os.getpid()} {child.pid}')
os.rename('${pids}.part', '${pids}')
${holdTheLock}`),
    ],
    [
      // `timeout` and `set -m` move what they start to groups of their own.
      'a script that makes process groups',
      (pids: string) => ({
        script_source: `#!/bin/bash
timeout 60 bash -c 'sleep 60 & echo $$ $! > ${pids}.first; wait' &
set -m
sleep 60 &
until [ -s ${pids}.first ]; do sleep 0.05; done
${written(pids, `$(cut -d" " -f5 /proc/$$/stat) $$ $! $(cat ${pids}.first)`)}; wait`,
      }),
    ],
    [
      'a script that makes sessions, of another environment too',
      (pids: string) => ({
        script_source: `#!/bin/bash
setsid bash -c 'sleep 60 & echo $$ $! > ${pids}.first; wait' < /dev/null > /dev/null 2>&1 &
disown
(setsid sleep 60 & echo $! > ${pids}.second)
env -i setsid bash -c 'sleep 60 & echo $$ $! > ${pids}.third; wait' &
until [ -s ${pids}.first ] && [ -s ${pids}.third ]; do sleep 0.05; done
${written(pids, `$(cut -d" " -f5 /proc/$$/stat) $$ $(cat ${pids}.first ${pids}.second ${pids}.third)`)}; wait`,
      }),
    ],
  ])('a worker that is killed leaves nothing behind of %s', async (name, kwargs) => {
    for (const launcherToo of [false, true]) {
      const pids = join(folder, `orphans-${name}-${launcherToo}`.replaceAll(' ', '-'))
      const worker = startWorker('worker-to-kill', kwargs(pids))
      await until(() => existsSync(pids))
      const [launcher = 0, ...others] = pidsIn(pids)
      worker.kill('SIGKILL')
      if (launcherToo) process.kill(launcher, 'SIGKILL')
      await until(() => ![launcher, ...others].some(isAlive))
    }
  })

  test('what an operation moved to other process groups and sessions is killed with it', async () => {
    const pids = join(folder, 'moved-pids')
    const moved = `set -m\ntimeout 60 sleep 60 & sleep 60 & (setsid sleep 60 & echo $! > ${pids}.away)
${written(pids, `$(jobs -p) $(cat ${pids}.away)`)}; wait`
    for (const end of ['time limit', 'abort', 'launcher']) {
      rmSync(pids, { force: true })
      const abort = new AbortController()
      const running = errorOf(
        bash(
          moved,
          end === 'time limit' ? { timeLimit: { ms: 5000, isRecoverable: false } } : {},
          abort.signal,
        ),
      )
      await until(() => existsSync(pids))
      const started = readFileSync(pids, 'utf8').trim().split(/\s+/).map(Number)
      expect(started).toHaveLength(3)
      if (end === 'abort') abort.abort()
      if (end === 'launcher') process.kill(sessionOf(started[0] ?? 0), 'SIGKILL')
      await running
      expect(started.filter(isAlive)).toEqual([])
    }
  })

  test('a launcher that is killed takes its script with it', async () => {
    const pids = join(folder, 'launcher-pids')
    const running = errorOf(bash(`sleep 60 & ${written(pids, '$(cut -d" " -f5 /proc/$$/stat) $$ $!')}; wait`))
    await until(() => existsSync(pids))
    const [launcher = 0, ...others] = pidsIn(pids)
    process.kill(launcher, 'SIGKILL')
    expect((await running).message).toBe('Process terminated (rc=-9)')
    await until(() => !others.some(isAlive))
  })

  test('a launcher that ends itself in the middle takes what it started with it', async () => {
    const pid = join(folder, 'started-pid')
    await errorOf(
      python(`
import os, subprocess
with open('${pid}', 'w') as target: target.write(str(subprocess.Popen(['sleep', '60']).pid))
os._exit(5)`),
    )
    await until(() => !isAlive(pidIn(pid)))
  })

  test('daemons of an operation that has ended outlive the worker, however it ends', async () => {
    const pid = join(folder, 'outlives-pid')
    const worker = startWorker(
      'worker-with-daemon',
      { script_source: `#!/bin/bash\nsleep 60 & echo $! > ${pid}` },
      `process.kill(process.pid, 'SIGKILL')`,
    )
    await new Promise((resolve) => worker.once('exit', resolve))
    try {
      // Had it been watched still, its end would be no later than that of a group that is.
      const watched = join(folder, 'watched-pid')
      const other = startWorker('worker-to-kill-after', {
        script_source: `#!/bin/bash\n${written(watched, '$$')}; sleep 60`,
      })
      await until(() => existsSync(watched))
      other.kill('SIGKILL')
      await until(() => !isAlive(pidIn(watched)))
      expect(isAlive(pidIn(pid))).toBe(true)
    } finally {
      process.kill(pidIn(pid), 'SIGKILL')
    }
  })

  test('what the process prints goes to the log file, and nothing else is left', async () => {
    await python('print("printed by the process")')
    expect(readFileSync(join(folder, 'log', 'd.log'), 'utf8')).toContain('printed by the process\n')
    // Those of the workers that were killed are still there: the next start removes them.
    const before = readdirSync(join(folder, 'work'))
    await bash('true')
    expect(readdirSync(join(folder, 'work'))).toEqual(before)
  })

  test('a missing interpreter is named', async () => {
    expect((await errorOf(bash('true', { python: '/no/python3' }))).message).toContain('"/no/python3"')
  })
})
