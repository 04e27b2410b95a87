import { spawn } from 'node:child_process'
import { randomUUID } from 'node:crypto'
import {
  chmodSync,
  cpSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  statSync,
  writeFileSync,
} from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { type ContractManager, startContractManager } from '../../../test/contract-manager.ts'
import { operationRequest } from '../../../test/operation-request.ts'
import { until } from '../../../test/until.ts'
import type { JsonValue, OperationOutcome } from '../outcome.ts'
import type { OperationRequest } from '../request.ts'
import { runOperation } from '../run-operation.ts'
import { createParents, type ParentLimits } from './parents.ts'
import { startWarm } from './start-warm.ts'

let manager: ContractManager
let folder: string

beforeAll(async () => {
  manager = await startContractManager()
  folder = mkdtempSync(join(tmpdir(), 'tutti-warm-'))
  chmodSync(folder, 0o711)
  mkdirSync(join(folder, 'work'), { mode: 0o711 })
  // Wherever this repository is, it may be closed to others.
  cpSync(join(import.meta.dirname, '../../../../../python'), join(folder, 'python'), { recursive: true })
})

afterAll(async () => {
  await manager.close()
  rmSync(folder, { recursive: true })
})

/** Parents of its own for a test, with what became of them. */
function warm(limits?: Partial<ParentLimits>) {
  const seen = { forked: 0, lost: 0, failures: [] as string[] }
  const events = {
    onFork: () => {
      seen.forked += 1
    },
    onLost: () => {
      seen.lost += 1
    },
    onFailure: (reason: string) => {
      seen.failures.push(reason)
    },
  }
  const parents = createParents(events, limits)
  const start = startWarm(parents, events)
  const surroundings = operationRequest({ folder, port: manager.port }, {}).environment
  const environment = { ...surroundings, runtimeFolder: join(folder, 'python') }
  const run = (kwargs: Record<string, JsonValue>, changes: Partial<OperationRequest> = {}) =>
    runOperation(
      operationRequest({ folder, port: manager.port }, kwargs, { environment, ...changes }),
      start,
      new AbortController().signal,
    )
  const python = (text: string, changes?: Partial<OperationRequest>) =>
    run({ script_source: `from cloudify import ctx\n${text}`, process: { eval_python: true } }, changes)
  return { seen, parents, environment, run, python }
}

const parentOf = (outcome: OperationOutcome): number => (outcome.ok ? Number(outcome.result) : Number.NaN)
const tellParent = 'import os\nctx.returns(os.getppid())'
const isAlive = (pid: number) =>
  existsSync(`/proc/${pid}`) && !/\) Z /.test(readFileSync(`/proc/${pid}/stat`, 'utf8'))

/** Bash that makes the file at once, with all of the text in it. */
const written = (file: string, text: string) => `echo "${text}" > ${file}.part; mv ${file}.part ${file}`

test('operations of one environment have one parent, others another, and ends are no losses', async () => {
  const { python, parents, seen, environment } = warm()
  const [first, second] = [await python(tellParent), await python(tellParent)]
  expect(parentOf(first)).toBeGreaterThan(1)
  expect(second).toEqual(first)
  const inherited = { ...environment.inherited, LANG: 'C' }
  const other = await python(tellParent, { environment: { ...environment, inherited } })
  expect(parentOf(other)).toBeGreaterThan(1)
  expect(other).not.toEqual(first)
  expect([parents.running, seen.forked]).toEqual([2, 3])
  // One that was stopped as well.
  process.kill(parentOf(other), 'SIGSTOP')
  await parents.close()
  expect([parentOf(first), parentOf(other)].filter(isAlive)).toEqual([])
  expect(seen).toEqual({ forked: 3, lost: 0, failures: [] })
})

test('a parent has one thread and one connection, and shows nobody of its user what it holds', async () => {
  const { python, parents } = warm()
  const pid = parentOf(await python(tellParent))
  expect(readdirSync(`/proc/${pid}/task`)).toHaveLength(1)
  const secret = randomUUID()
  const hidden = `hidden ${secret}`
  const messages: string[] = []
  await python(`ctx.logger.info('${hidden}')`, {
    said: (records) => messages.push(...records.map(({ message }) => message)),
  })
  expect(messages).toContain(hidden)
  // Looking works: what the parent was started with is found.
  if (process.getuid?.() === 0)
    expect(await inMemory(pid, ['operations_parent', hidden])).toEqual([true, false])
  await parents.close()
})

/** Which of the texts are in the memory of a process. Only root may look. */
function inMemory(pid: number, texts: readonly string[]): Promise<readonly boolean[]> {
  const program = `
import json, re, sys
found = [False] * len(sys.argv[2:])
with open(f'/proc/{sys.argv[1]}/maps') as maps, open(f'/proc/{sys.argv[1]}/mem', 'rb') as memory:
    for line in maps:
        start, end = (int(one, 16) for one in line.split()[0].split('-'))
        if 'rw' not in line.split()[1]: continue
        memory.seek(start)
        content = memory.read(end - start)
        found = [already or text.encode() in content for already, text in zip(found, sys.argv[2:])]
print(json.dumps(found))`
  return new Promise((resolve) => {
    const child = spawn('python3', ['-c', program, String(pid), ...texts], {
      stdio: ['ignore', 'pipe', 'inherit'],
    })
    let text = ''
    child.stdout.on('data', (piece) => {
      text += piece
    })
    child.once('close', () => resolve(JSON.parse(text)))
  })
}

test('what runs when its parent is killed goes on, and the next operation has another', async () => {
  const { python, run, parents, seen } = warm()
  const pid = parentOf(await python(tellParent))
  const [pids, go] = [join(folder, 'in-flight'), join(folder, 'in-flight-go')]
  const script = `#!/bin/bash\n${written(pids, '$$')}; while [ ! -e ${go} ]; do sleep 0.05; done; ctx returns "$1"`
  const well = run({ script_source: script, process: { args: ['well'] } })
  await until(() => existsSync(pids))
  process.kill(pid, 'SIGKILL')
  const next = parentOf(await python(tellParent))
  expect(next).toBeGreaterThan(1)
  expect(next).not.toBe(pid)
  writeFileSync(go, '')
  expect(await well).toEqual({ ok: true, result: 'well' })
  expect(seen).toMatchObject({ lost: 1, failures: [] })
  await parents.close()
})

test('what has lost its parent can be killed, and ends at its time limit, with all that it started', async () => {
  const { python, run, parents } = warm()
  for (const end of ['time limit', 'kill']) {
    const pid = parentOf(await python(tellParent))
    const pids = join(folder, `orphan ${end}`.replaceAll(' ', '-'))
    const kwargs = {
      script_source: `#!/bin/bash\nsleep 60 & setsid sleep 60 & ${written(pids, '$(cut -d" " -f5 /proc/$$/stat) $$ $(jobs -p | xargs)')}; wait`,
    }
    // Long enough for it to begin on a machine that is busy.
    const limit = end === 'time limit' ? 6_000 : null
    const running = run(kwargs, { timeLimit: { ms: limit, isRecoverable: false } })
    await until(() => existsSync(pids))
    process.kill(pid, 'SIGKILL')
    const started = readFileSync(pids, 'utf8').trim().split(' ').map(Number)
    expect(started.filter(isAlive)).toEqual(started)
    if (end === 'kill') process.kill(started[0] ?? 0, 'SIGKILL')
    expect(await running).toMatchObject({
      error: {
        kind: 'non-recoverable',
        message: end === 'kill' ? 'Process terminated (rc=-9)' : 'Process killed due to timeout of 6 seconds',
      },
    })
    expect(started.filter(isAlive)).toEqual([])
  }
  await parents.close()
})

test('what a parent had not begun when it was killed runs once, in another', async () => {
  const { python, parents, seen } = warm()
  const pid = parentOf(await python(tellParent))
  process.kill(pid, 'SIGSTOP')
  const begun = join(folder, 'begun')
  const given = Array.from({ length: 5 }, () =>
    python(`import os\nopen('${begun}', 'a').write('x')\nctx.returns(os.getppid())`),
  )
  const waiting = () =>
    readdirSync(join(folder, 'work')).filter((name) =>
      existsSync(join(folder, 'work', name, 'request-0.json')),
    )
  await until(() => waiting().length === given.length)
  process.kill(pid, 'SIGKILL')
  const parentsOfThem = (await Promise.all(given)).map(parentOf)
  expect(new Set(parentsOfThem).size).toBe(1)
  expect(parentsOfThem[0]).not.toBe(pid)
  expect(readFileSync(begun, 'utf8')).toBe('xxxxx')
  expect(seen).toMatchObject({ lost: 1, failures: [] })
  await parents.close()
})

test('operations and parents survive that parents are killed all the time', async () => {
  const { python, parents } = warm()
  const outcomes: Promise<OperationOutcome>[] = []
  let killed = 0
  for (let round = 0; round < 6; round += 1) {
    const pid = parentOf(await python(tellParent))
    for (let count = 0; count < 8; count += 1) outcomes.push(python(`ctx.returns('done')`))
    // At another moment of their starts each time.
    await Promise.race([outcomes[round * 8 + round], outcomes[round * 8 + 7 - round]])
    process.kill(pid, 'SIGKILL')
    killed += 1
  }
  for (const outcome of await Promise.all(outcomes)) {
    expect(outcome).toEqual({ ok: true, result: 'done' })
  }
  expect(killed).toBe(6)
  await parents.close()
})

test('the folder for lasting files is made again when somebody has removed it', async () => {
  const { python, environment, parents } = warm()
  const gone = join(folder, 'plugins-to-remove')
  const changes = { environment: { ...environment, pluginWorkFolder: gone } }
  expect(await python('import os\nctx.returns(os.getcwd())', changes)).toEqual({ ok: true, result: gone })
  rmSync(gone, { recursive: true })
  expect(await python('import os\nctx.returns(os.getcwd())', changes)).toEqual({ ok: true, result: gone })
  await parents.close()
})

/** What no operation of this file is kept waiting for. */
const never = 3_600_000

test('an operation that is given to a halted parent ends at its time limit or when it is killed, and never begins', async () => {
  const { python, parents, environment } = warm({ silentMs: never })
  const pid = parentOf(await python(tellParent))
  process.kill(pid, 'SIGSTOP')
  const begun = join(folder, 'begun-after-all')
  const limited = { timeLimit: { ms: 200, isRecoverable: false } }
  expect(await python(`open('${begun}', 'w')`, limited)).toMatchObject({
    error: { message: 'Process killed due to timeout of 0.2 seconds' },
  })
  const stop = new AbortController()
  const request = operationRequest(
    { folder, port: manager.port },
    { script_source: `open('${begun}', 'w')`, process: { eval_python: true } },
    { environment },
  )
  const start = startWarm(parents, { onFork() {} })
  const waiting = runOperation(request, start, stop.signal)
  const isGiven = (name: string) => existsSync(join(folder, 'work', name, 'request-0.json'))
  await until(() => readdirSync(join(folder, 'work')).some(isGiven))
  stop.abort()
  expect(await waiting).toMatchObject({ error: { kind: 'killed' } })
  process.kill(pid, 'SIGCONT')
  expect(await python(tellParent)).toEqual({ ok: true, result: pid })
  expect(existsSync(begun)).toBe(false)
  await parents.close()
})

test('what has begun ends at its time limit although its parent is halted', async () => {
  const { run, python, parents } = warm({ silentMs: never })
  await python(tellParent)
  const pids = join(folder, 'halted-parent')
  const running = run(
    { script_source: `#!/bin/bash\n${written(pids, '$(cut -d" " -f4 /proc/$PPID/stat) $$')}; sleep 60` },
    { timeLimit: { ms: 6_000, isRecoverable: false } },
  )
  await until(() => existsSync(pids))
  const [parent = 0, script = 0] = readFileSync(pids, 'utf8').trim().split(' ').map(Number)
  process.kill(parent, 'SIGSTOP')
  expect(await running).toMatchObject({ error: { message: 'Process killed due to timeout of 6 seconds' } })
  expect(isAlive(script)).toBe(false)
  await parents.close()
})

test('a halted parent is given up, and what waited for it runs in another', async () => {
  const { python, run, parents, seen } = warm({ silentMs: 1_500 })
  const pid = parentOf(await python(tellParent))
  const [file, go] = [join(folder, 'begun-before'), join(folder, 'begun-before-go')]
  const script = `#!/bin/bash\n${written(file, '$$')}; while [ ! -e ${go} ]; do sleep 0.05; done; ctx returns well`
  const begun = run({ script_source: script })
  await until(() => existsSync(file))
  process.kill(pid, 'SIGSTOP')
  const next = parentOf(await python(tellParent))
  expect(next).toBeGreaterThan(1)
  expect(next).not.toBe(pid)
  writeFileSync(go, '')
  expect(await begun).toEqual({ ok: true, result: 'well' })
  expect(seen.lost).toBeGreaterThan(0)
  expect(isAlive(pid)).toBe(false)
  await parents.close()
})

/** Surroundings in which the parent runs this text before it does anything. */
const beforeParent = (environment: OperationRequest['environment'], text: string) => {
  const site = mkdtempSync(join(folder, 'site-'))
  writeFileSync(
    join(site, 'sitecustomize.py'),
    `import os, sys, time\nif 'operations_parent' in str(sys.orig_argv):\n  ${text.replaceAll('\n', '\n  ')}\n`,
  )
  return {
    environment: { ...environment, inherited: { ...environment.inherited, PYTHONPATH: site } },
  }
}

test.each([
  ['never is ready', 'time.sleep(3600)', 'it was not ready after 1 seconds'],
  ['ends, and leaves its channel to another', 'if os.fork(): os._exit(3)\ntime.sleep(60)', ''],
  ['closes its channel and stays', 'os.close(3)\ntime.sleep(60)', ''],
  ['prints without an end', 'while True: os.write(2, b"x" * 65536)', ''],
])('operations do not wait for a parent that %s', async (_what, text, reason) => {
  const { python, parents, seen, environment } = warm({ readyMs: 1_000 })
  const changes = beforeParent(environment, text)
  expect(await python(tellParent, changes)).toEqual({ ok: true, result: process.pid })
  expect(seen.failures).toHaveLength(1)
  expect(seen.failures[0]).toContain(reason)
  await parents.close()
})

test('a parent that says what nobody has asked is not listened to', async () => {
  const { python, parents, seen, environment } = warm()
  const flood = `write = os.write
def lie(file, data):
  done = write(file, data)
  while b'"started"' in bytes(data): write(3, b'["ended", 99, 0]\\n')
  return done
os.write = lie`
  const changes = beforeParent(environment, flood)
  expect(await python(`ctx.returns('done')`, changes)).toEqual({ ok: true, result: 'done' })
  await until(() => seen.lost === 1)
  await parents.close()
})

test('idle parents end, the longest idle first', async () => {
  const soon = warm({ mostIdle: 9, idleMs: 0, lookMs: 10 })
  await soon.python(tellParent)
  await until(() => soon.parents.running === 0)

  const few = warm({ mostIdle: 1, idleMs: 3_600_000, lookMs: 10 })
  const { environment } = few
  const named = (name: string) => ({
    environment: { ...environment, inherited: { ...environment.inherited, KEPT: name } },
  })
  const first = parentOf(await few.python(tellParent, named('first')))
  const second = parentOf(await few.python(tellParent, named('second')))
  await until(() => !isAlive(first))
  expect(isAlive(second)).toBe(true)
  expect(few.seen.lost).toBe(0)
  await few.parents.close()
})

test.each([[false], [true]])(
  'what a worker had forked dies with it; its parent was killed before: %s',
  async (killed) => {
    const file = join(folder, `parent-of-worker-${killed}`)
    const program = join(folder, 'worker.ts')
    const { environment } = warm()
    const request = operationRequest(
      { folder, port: manager.port },
      {
        script_source: `#!/bin/bash\n${written(file, '$(cut -d" " -f4 /proc/$PPID/stat) $PPID $$')}; sleep 60`,
      },
      { environment },
    )
    writeFileSync(
      program,
      `import { runOperation } from '${join(import.meta.dirname, '../run-operation.ts')}'
import { warmly } from '${join(import.meta.dirname, '../../../test/ways.ts')}'
await runOperation({ ...${JSON.stringify(request)}, said() {} }, warmly, new AbortController().signal)`,
    )
    const worker = spawn(process.execPath, [program], { stdio: 'ignore' })
    await until(() => existsSync(file))
    const pids = readFileSync(file, 'utf8').trim().split(' ').map(Number)
    expect(pids.filter(isAlive)).toEqual(pids)
    if (killed) process.kill(pids[0] ?? 0, 'SIGKILL')
    worker.kill('SIGKILL')
    await until(() => !pids.some(isAlive))
  },
)

test.each([
  [
    'starts threads',
    'import threading; threading.Thread(target=threading.Event().wait, daemon=True).start()',
  ],
  ['ends Python', 'raise SystemExit(3)'],
])('where what is installed %s, operations are started without a parent', async (_what, text) => {
  const { python, seen, parents, environment } = warm()
  const site = mkdtempSync(join(folder, 'site-'))
  writeFileSync(
    join(site, 'sitecustomize.py'),
    `import sys\nif 'operations_parent' in str(sys.orig_argv): ${text}`,
  )
  const inherited = { ...environment.inherited, PYTHONPATH: site }
  const changes = { environment: { ...environment, inherited } }
  expect(await python(tellParent, changes)).toEqual({ ok: true, result: process.pid })
  if (seen.failures.length === 0) throw new Error('there was a parent')
  expect(await python(tellParent, changes)).toEqual({ ok: true, result: process.pid })
  expect([seen.failures.length, seen.forked, parents.running]).toEqual([1, 0, 0])
})

test('variables that Python reads when it starts are there when it starts', async () => {
  const { python, seen } = warm()
  const given = operationRequest({ folder, port: manager.port }, {})
  const context = { ...given.context, execution_env: { PYTHONHASHSEED: '7', MINE: 'mine' } }
  const text = `import os, sys\nctx.returns([sys.flags.hash_randomization, os.environ['MINE']])`
  expect(await python(text, { context })).toEqual({ ok: true, result: [1, 'mine'] })
  expect(seen.forked).toBe(0)
  const other = { ...given.context, execution_env: { MINE: 'mine' } }
  expect(await python(text, { context: other })).toEqual({ ok: true, result: [1, 'mine'] })
  expect(seen.forked).toBe(1)
})

// Nobody else may start processes as other users: for them, these tests are not there.
const asRoot = process.getuid?.() === 0 ? describe : () => undefined

asRoot('with users of their own', () => {
  const [one, other] = [200_321, 200_322]
  const inherited = { ...process.env, PATH: '/usr/local/bin:/usr/bin:/bin' }

  /** What an operation can do to a process: each way, and what came of it. */
  const attacks = (pid: number) => `
import ctypes, os, signal
def attempt(what):
    try:
        what()
        return 'done'
    except OSError as error:
        return error.strerror
libc = ctypes.CDLL(None, use_errno=True)
def call(name, *arguments):
    if getattr(libc, name)(*arguments) == -1: raise OSError(ctypes.get_errno(), os.strerror(ctypes.get_errno()))
pidfd = attempt(lambda: os.pidfd_open(${pid}))
def steal(): call('syscall', 438, os.pidfd_open(${pid}), 3, 0)
ctx.returns({
  'environ': attempt(lambda: open('/proc/${pid}/environ').read()),
  'memory': attempt(lambda: open('/proc/${pid}/mem', 'rb').read(1)),
  'descriptors': attempt(lambda: os.listdir('/proc/${pid}/fd')),
  'channel': attempt(lambda: os.open('/proc/${pid}/fd/3', os.O_RDWR)),
  'folder': attempt(lambda: os.listdir('/proc/${pid}/cwd')),
  'trace': attempt(lambda: call('ptrace', 16, ${pid}, 0, 0)),
  'steal': attempt(steal),
  'signal': attempt(lambda: os.kill(${pid}, 0)),
  'group': attempt(lambda: os.killpg(${pid}, 0)),
})`
  const [denied, forbidden] = ['Permission denied', 'Operation not permitted']
  const closed = {
    ...{ environ: denied, memory: denied, descriptors: denied, channel: denied, folder: denied },
    ...{ trace: forbidden, steal: forbidden },
  }

  test('neither tenant reaches the other one’s parent, and of its own it can only be the end', async () => {
    const { python, environment, seen } = warm()
    const changes = (user: number) => ({ user, environment: { ...environment, inherited } })
    const theirs = parentOf(await python(tellParent, changes(one)))
    expect(theirs).toBeGreaterThan(1)
    expect(await python(attacks(theirs), changes(other))).toEqual({
      ok: true,
      result: { ...closed, signal: forbidden, group: forbidden },
    })
    expect(await python(attacks(theirs), changes(one))).toEqual({
      ok: true,
      result: { ...closed, signal: 'done', group: 'done' },
    })
    expect(seen).toEqual({ forked: 3, lost: 0, failures: [] })
  })

  test('neither tenant reaches the other one’s operation', async () => {
    const { python, environment } = warm()
    const changes = (user: number) => ({ user, environment: { ...environment, inherited } })
    const [file, go] = [join(folder, 'victim'), join(folder, 'go')]
    writeFileSync(file, '')
    chmodSync(file, 0o666)
    const victim = python(
      `import os, time\nopen('${file}', 'w').write(f'{os.getpid()}!')\nwhile not os.path.exists('${go}'): time.sleep(0.02)`,
      changes(one),
    )
    await until(() => readFileSync(file, 'utf8').endsWith('!'))
    const pid = Number(readFileSync(file, 'utf8').slice(0, -1))
    expect(await python(attacks(pid), changes(other))).toEqual({
      ok: true,
      result: { ...closed, signal: forbidden, group: forbidden },
    })
    writeFileSync(go, '')
    expect(await victim).toEqual({ ok: true, result: null })
  })

  test('a tenant whose parents give up does not have its files written by the worker’s user', async () => {
    const { python, environment } = warm()
    const victim = join(folder, 'victim-of-link')
    writeFileSync(victim, 'mine', { mode: 0o600 })
    const site = join(folder, 'plugins', String(one), 'site-of-links')
    await python('ctx.returns(1)', { user: one, environment: { ...environment, inherited } })
    mkdirSync(site)
    writeFileSync(
      join(site, 'sitecustomize.py'),
      `import json, os, sys
if 'operations_parent' in str(sys.orig_argv):
    read = os.read
    def link(file, size):
        data = read(file, size)
        if data.startswith(b'['):
            folder = json.loads(data)[1]
            try: os.symlink('${victim}', folder + '/input.json')
            except FileExistsError: pass
            os._exit(1)
        return data
    os.read = link`,
    )
    const lying = { ...environment, inherited: { ...inherited, PYTHONPATH: site } }
    await expect(python('ctx.returns(2)', { user: one, environment: lying })).rejects.toThrow('EEXIST')
    expect([readFileSync(victim, 'utf8'), statSync(victim).uid]).toEqual(['mine', 0])
  })

  test('an operation that has another process taken for its own does not have it killed', async () => {
    const { python, environment } = warm()
    const changes = (user: number) => ({ user, environment: { ...environment, inherited } })
    const bystander = spawn('sleep', ['60'], { detached: true, stdio: 'ignore', uid: other, gid: other })
    const { pid = 0 } = bystander
    // Its user's home is where Python looks for code that everything of that user runs first.
    const home = join(folder, 'plugins', String(one))
    await python('ctx.returns(1)', changes(one))
    const site = join(home, 'site')
    mkdirSync(site)
    writeFileSync(
      join(site, 'sitecustomize.py'),
      `import os, sys
if 'operations_parent' in str(sys.orig_argv):
    write = os.write
    def lie(file, data):
        if b'"started"' in bytes(data): write(file, bytes(data).rsplit(b',', 1)[0] + b', ${pid}]\\n'); return len(data)
        return write(file, data)
    os.write = lie`,
    )
    const lying = { ...environment, inherited: { ...inherited, PYTHONPATH: site } }
    const outcome = await python('import time\ntime.sleep(60)', {
      user: one,
      environment: lying,
      timeLimit: { ms: 1_500, isRecoverable: false },
    })
    expect(outcome).toMatchObject({ error: { message: 'Process killed due to timeout of 1.5 seconds' } })
    expect(isAlive(pid)).toBe(true)
    bystander.kill('SIGKILL')
  })
})
