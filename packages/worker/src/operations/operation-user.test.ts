import { spawn, spawnSync } from 'node:child_process'
import {
  chmodSync,
  cpSync,
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
import { type ContractManager, startContractManager } from '../../test/contract-manager.ts'
import { operationRequest } from '../../test/operation-request.ts'
import { until } from '../../test/until.ts'
import { ways } from '../../test/ways.ts'
import { handOver, installingUser, operationUser, removeFolder } from './operation-user.ts'
import { runOperation } from './run-operation.ts'

test('each tenant has a user id of its own, as far as they go', () => {
  const ids = { first: 200_000, last: 200_002 }
  expect([operationUser(undefined, 7), operationUser(ids, 0), operationUser(ids, 1)]).toEqual([
    null,
    200_000,
    200_001,
  ])
  // The last is no tenant's.
  expect([installingUser(undefined), installingUser(ids)]).toEqual([null, 200_002])
  expect(() => operationUser(ids, 2)).toThrow('no user id for tenant 2')
})

// Nobody else may start processes as other users: for them, these tests are not there.
const asRoot = process.getuid?.() === 0 ? describe.each(ways) : () => undefined

asRoot('as root, %s', (_way, start) => {
  const [one, other] = [200_123, 200_124]
  let manager: ContractManager
  let folder: string

  beforeAll(async () => {
    manager = await startContractManager()
    folder = mkdtempSync(join(tmpdir(), 'tutti-operation-users-'))
    chmodSync(folder, 0o711)
    mkdirSync(join(folder, 'work'), { mode: 0o711 })
    // Wherever this repository is, it may be closed to others.
    cpSync(join(import.meta.dirname, '../../../../python'), join(folder, 'python'), { recursive: true })
    writeFileSync(join(folder, 'key'), 'of the manager', { mode: 0o600 })
  })
  afterAll(async () => {
    await manager.close()
    rmSync(folder, { recursive: true })
  })

  const run = (user: number | null, text: string) => {
    const given = operationRequest({ folder, port: manager.port }, { script_source: `#!/bin/bash\n${text}` })
    const environment = {
      ...given.environment,
      inherited: { ...process.env, PATH: '/usr/local/bin:/usr/bin:/bin' },
      runtimeFolder: join(folder, 'python'),
    }
    return runOperation({ ...given, environment, user }, start, new AbortController().signal)
  }

  test('an operation works as its user, in a home of its own', async () => {
    const outcome = await run(
      one,
      'echo kept > "$HOME/file"; ctx returns "$(id -u) $(id -g) $(id -G) $(cat ~/file)"',
    )
    expect(outcome).toEqual({ ok: true, result: `${one} ${one} ${one} kept` })
    expect(statSync(join(folder, 'plugins', String(one)))).toMatchObject({ uid: one, mode: 0o40700 })
    // Its own folder is gone, with all that it left there.
    expect(readdirSync(join(folder, 'work'))).toEqual([])
  })

  test('it reads neither what the manager keeps, nor the worker, nor what others keep', async () => {
    await run(other, 'echo secret > ~/file')
    const attempts = [
      `cat ${folder}/key`,
      `cat /proc/${process.pid}/environ`,
      `ls ${folder}/work`,
      `cat ${folder}/plugins/${other}/file`,
      `echo more >> ${folder}/log/d.log`,
      `kill -0 ${process.pid}`,
    ]
    const script = attempts.map((attempt) => `( ${attempt} ) >/dev/null 2>&1; codes="$codes $?"`).join('\n')
    const outcome = await run(one, `${script}\nctx returns "$codes"`)
    expect(outcome).toEqual({ ok: true, result: ' 1 1 2 1 1 1' })
  })

  test('a removal shows the user nothing of the environment of the worker', async () => {
    process.env.TUTTI_TEST_SECRET = 'of the worker'
    const left = join(folder, 'left')
    mkdirSync(left)
    for (let index = 0; index < 5_000; index += 1) writeFileSync(join(left, String(index)), '')
    await handOver(left, one)
    // Reads, as that user, what its processes have been given, until it is told that it is over.
    const spy = spawn(
      '/bin/sh',
      [
        '-c',
        'echo; while :; do cat /proc/[0-9]*/environ 2>/dev/null | tr "\\0" "\\n" | grep TUTTI_TEST_SECRET; done',
      ],
      {
        uid: one,
        gid: one,
        env: { PATH: '/usr/bin:/bin' },
        stdio: ['ignore', 'pipe', 'ignore'],
        detached: true,
      },
    )
    const { pid } = spy
    if (pid === undefined) throw new Error('no spy')
    let seen = ''
    const ended = new Promise((resolve) => spy.once('close', resolve))
    try {
      await new Promise<void>((resolve) => {
        spy.stdout.on('data', (chunk) => {
          seen += chunk
          resolve()
        })
      })
      await removeFolder(left, one)
    } finally {
      process.kill(-pid, 'SIGKILL')
      await ended
      Reflect.deleteProperty(process.env, 'TUTTI_TEST_SECRET')
    }
    expect(seen).toBe('\n')
  })

  test.each([
    ['its user', one],
    ['root', null],
  ])('folders that %s has closed to itself are removed as well', async (_, user) => {
    const closed = join(folder, 'closed')
    mkdirSync(join(closed, 'inner', 'innermost'), { recursive: true })
    writeFileSync(join(closed, 'inner', 'innermost', 'file'), '')
    for (const path of ['inner/innermost/file', 'inner/innermost', 'inner', '']) {
      await handOver(join(closed, path), user)
    }
    chmodSync(join(closed, 'inner', 'innermost'), 0)
    chmodSync(join(closed, 'inner'), 0)
    await removeFolder(closed, user)
    expect(readdirSync(folder)).not.toContain('closed')
  })

  test('it cannot become anybody else, not by a program of root either', async () => {
    cpSync('/usr/bin/id', join(folder, 'id'))
    chmodSync(join(folder, 'id'), 0o4755)
    const outcome = await run(one, `ctx returns "$(${folder}/id -u) $(grep NoNewPrivs /proc/self/status)"`)
    expect(outcome).toEqual({ ok: true, result: `${one} NoNewPrivs:\t1` })
  })

  test('a missing interpreter is named', async () => {
    const given = operationRequest({ folder, port: manager.port }, {}, { user: one, python: '/no/python3' })
    expect(await runOperation(given, start, new AbortController().signal)).toMatchObject({
      error: { kind: 'non-recoverable', message: expect.stringContaining('"/no/python3"') },
    })
  })

  /** Asks the ctx proxy for what it must not give to others, and says what came of it. */
  const attack = (user: number, socket: string) =>
    spawnSync(
      '/usr/bin/python3',
      [
        '-c',
        `import socket, sys
found = socket.socket(socket.AF_UNIX)
found.connect(sys.argv[1])
found.sendall(b'POST / HTTP/1.1\\r\\nContent-Length: 27\\r\\n\\r\\n{"args":["instance", "id"]}')
print(found.recv(9999))`,
        socket,
      ],
      { uid: user, gid: user, encoding: 'utf8' },
    )

  test.each([
    ['under its own user', one],
    ['as root', null],
  ])('no other user reaches the ctx of an operation that runs %s', async (_, user) => {
    const [address, go] = [join(folder, `address-${user}`), join(folder, `go-${user}`)]
    // Made by root, as the operation's user may not make files here.
    writeFileSync(address, '')
    chmodSync(address, 0o666)
    const outcome = run(
      user,
      `echo "\${CTX_SOCKET_URL#unix://}" > ${address}\nwhile [ ! -e ${go} ]; do sleep 0.02; done\nctx returns "$(ctx instance id)"`,
    )
    try {
      await until(() => readFileSync(address, 'utf8').endsWith('\n'))
      const socket = readFileSync(address, 'utf8').trim()
      for (const stranger of [other, 65_534]) {
        const { stdout, stderr } = attack(stranger, socket)
        expect([stdout, stderr.trim().split('\n').at(-1)]).toEqual([
          '',
          'PermissionError: [Errno 13] Permission denied',
        ])
      }
      expect(attack(user ?? 0, socket).stdout).toContain('"web_1"')
    } finally {
      writeFileSync(go, '')
      await outcome
    }
    expect(await outcome).toEqual({ ok: true, result: 'web_1' })
  })

  test('however many files it leaves are removed', async () => {
    const script = `cd "$(dirname "\${CTX_SOCKET_URL#unix://}")"; name=$(printf %0200d 0)
printf '%s\\n' \${name}{1..9000} | xargs touch`
    expect(await run(one, script)).toEqual({ ok: true, result: null })
    expect(readdirSync(join(folder, 'work'))).toEqual([])
  })

  test('what it leaves in its folder is removed, and what it links to is not', async () => {
    const mine = mkdtempSync(join(folder, 'work', 'operation-'))
    const outside = join(folder, 'outside')
    mkdirSync(outside)
    writeFileSync(join(outside, 'kept'), '')
    await handOver(mine, one)
    await new Promise((resolve) => {
      spawn('bash', ['-c', `mkdir -p ${mine}/a/b; ln -s ${outside} ${mine}/a/link; touch ${mine}/a/b/c`], {
        uid: one,
        gid: one,
      }).once('exit', resolve)
    })
    await removeFolder(mine, one)
    expect(readdirSync(join(folder, 'work'))).toEqual([])
    expect(readdirSync(outside)).toEqual(['kept'])
  })
})
