import { existsSync, mkdtempSync, readdirSync, readFileSync, rmSync, statSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { type ContractManager, startContractManager } from '../../test/contract-manager.ts'
import { operationRequest } from '../../test/operation-request.ts'
import { until } from '../../test/until.ts'
import { ways } from '../../test/ways.ts'
import type { OperationRequest } from './request.ts'
import { runOperation } from './run-operation.ts'

let manager: ContractManager

beforeAll(async () => {
  manager = await startContractManager()
})

afterAll(() => manager.close())

const isAlive = (pid: number) => existsSync(`/proc/${pid}`)

describe.each(ways)('%s: an operation harms no other, and ends as is documented, when it', (way, start) => {
  let folder: string
  beforeAll(() => {
    folder = mkdtempSync(join(tmpdir(), 'tutti-hostile-'))
  })
  afterAll(() => rmSync(folder, { recursive: true }))

  const python = (text: string, changes: Partial<OperationRequest> = {}) =>
    runOperation(
      operationRequest(
        { folder, port: manager.port },
        { script_source: text, process: { eval_python: true } },
        changes,
      ),
      start,
      new AbortController().signal,
    )

  /** What an operation finds that another one before it might have changed. */
  const surroundings = `
import json, os, resource, signal, sys, threading
from cloudify import ctx
os.umask(umask := os.umask(0))
ctx.returns({
  'folder': os.getcwd(), 'umask': umask, 'threads': threading.active_count(),
  'signals': [str(signal.getsignal(one)) for one in (signal.SIGTERM, signal.SIGINT, signal.SIGCHLD, signal.SIGPIPE)],
  'blocked': len(signal.pthread_sigmask(signal.SIG_BLOCK, [])),
  'limit': resource.getrlimit(resource.RLIMIT_AS)[0], 'path': len(sys.path), 'left': os.environ.get('LEFT'),
  'json': json.dumps([1]), 'descriptors': sorted(one for one in os.listdir('/proc/self/fd') if int(one) < 100), 'leads': os.getpid() == os.getsid(0),
})`
  const undisturbed = {
    ok: true,
    result: {
      ...{ folder: expect.any(String), umask: 0o22, threads: 1, blocked: 0, limit: -1, left: null },
      ...{
        signals: ['0', expect.stringContaining('default_int_handler'), '0', '1'],
        json: '[1]',
        leads: true,
      },
      path: expect.any(Number),
      // With the file for the answer, the folder that is listed, and what a cold one holds its worker by.
      descriptors: way === 'warm' ? ['0', '1', '2', '3', '4'] : ['0', '1', '2', '3', '4', '5'],
    },
  }
  const result = (value: unknown) => ({ ok: true, result: value })

  test.each([
    [
      'prints 100 MB',
      `
import sys
for _ in range(100): sys.stdout.write('x' * 999_999 + chr(10))
from cloudify import ctx
ctx.returns(1)`,
      result(1),
    ],
    [
      'leaves threads that never end',
      `
import threading
from cloudify import ctx
for _ in range(20): threading.Thread(target=threading.Event().wait).start()
ctx.returns(2)`,
      result(2),
    ],
    [
      'closes all descriptors',
      `
import os
os.closerange(0, 1000)
from cloudify import ctx
ctx.returns(3)`,
      result(3),
    ],
    [
      'puts other files where its descriptors were',
      `
import os
os.closerange(0, 1000)
for _ in range(10): os.open('/dev/null', os.O_WRONLY)
from cloudify import ctx
ctx.returns(4)`,
      result(4),
    ],
    [
      'changes its folder, umask, limits, signals, environment and modules',
      `
import json, os, resource, signal, sys
from cloudify import ctx
os.chdir('/'); os.umask(0o777); os.environ['LEFT'] = 'x'; sys.path[:] = ['/nowhere'] + sys.path
for one in (signal.SIGTERM, signal.SIGINT, signal.SIGCHLD): signal.signal(one, signal.SIG_IGN)
signal.pthread_sigmask(signal.SIG_BLOCK, [signal.SIGUSR1, signal.SIGCHLD])
resource.setrlimit(resource.RLIMIT_CORE, (0, 0))
json.dump = None
ctx.returns(5)`,
      result(5),
    ],
    [
      'ends itself',
      'import os\nos._exit(3)',
      {
        error: {
          kind: 'non-recoverable',
          message: 'Unhandled exception occurred in operation dispatch (rc=3)',
        },
      },
    ],
    [
      'raises where nobody can catch it',
      `
import atexit, sys
from cloudify import ctx
class Raising:
    def __del__(self): raise SystemExit(9)
kept = Raising(); Raising()
atexit.register(lambda: 1 / 0)
sys.unraisablehook = None
ctx.returns(6)`,
      result(6),
    ],
    [
      'grows to the memory limit',
      `
import resource
resource.setrlimit(resource.RLIMIT_AS, (500_000_000, 500_000_000))
grown = []
while True: grown.append(bytearray(10_000_000))`,
      { error: { kind: 'recoverable', type: 'MemoryError' } },
    ],
    [
      'returns 50 MB',
      `from cloudify import ctx\nctx.returns('x' * 50_000_000)`,
      { error: { kind: 'non-recoverable', message: expect.stringContaining('more than 16 MiB') } },
    ],
  ])('%s', async (_what, text, expected) => {
    expect(await python(text)).toMatchObject(expected)
    expect(await python(surroundings)).toEqual(undisturbed)
    for (const name of readdirSync(join(folder, 'log'))) {
      expect(statSync(join(folder, 'log', name)).size).toBeLessThanOrEqual(1_000_000 * 1.25 + 200)
    }
  })

  test('ignores SIGTERM', async () => {
    const text = `import signal, time\nsignal.signal(signal.SIGTERM, signal.SIG_IGN)\ntime.sleep(3600)`
    expect(await python(text, { timeLimit: { ms: 300, isRecoverable: true } })).toMatchObject({
      error: { kind: 'recoverable', message: 'Process killed due to timeout of 0.3 seconds' },
    })
    expect(await python(surroundings)).toEqual(undisturbed)
  })

  /** A daemon as they are made: by two forks, in a session of its own, without exec. */
  const daemon = (file: string) => `
import os, time
if os.fork() == 0:
    os.setsid()
    if os.fork() == 0:
        os.environ.clear()
        with open('${file}.part', 'w') as target: target.write(str(os.getpid()))
        os.rename('${file}.part', '${file}')
        time.sleep(3600)
    os._exit(0)
while not os.path.exists('${file}'): time.sleep(0.01)`

  test('makes itself a daemon, which goes on', async () => {
    const file = join(folder, 'daemon')
    expect(await python(daemon(file))).toEqual(result(null))
    const pid = Number(readFileSync(file, 'utf8'))
    expect(isAlive(pid)).toBe(true)
    process.kill(pid, 'SIGKILL')
    expect(await python(surroundings)).toEqual(undisturbed)
  })

  test('has a daemon when it is killed, which goes with it', async () => {
    const file = join(folder, 'killed-daemon')
    const outcome = python(`${daemon(file)}\ntime.sleep(3600)`, {
      timeLimit: { ms: 6_000, isRecoverable: false },
    })
    await until(() => existsSync(file))
    const pid = Number(readFileSync(file, 'utf8'))
    expect(await outcome).toMatchObject({ error: { kind: 'non-recoverable' } })
    await until(() => !isAlive(pid))
  })

  test('asks for random numbers, which are its own', async () => {
    const numbers = `import random, uuid\nfrom cloudify import ctx\nctx.returns([random.random(), str(uuid.uuid4())])`
    const seen = new Set<unknown>()
    for (let time = 0; time < 3; time += 1) {
      const outcome = await python(numbers)
      if (outcome.ok) for (const one of outcome.result as readonly unknown[]) seen.add(one)
    }
    expect(seen.size).toBe(6)
  })
})
