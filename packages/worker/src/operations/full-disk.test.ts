import { spawnSync } from 'node:child_process'
import { mkdirSync, mkdtempSync, readdirSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest'
import { type ContractManager, startContractManager } from '../../test/contract-manager.ts'
import { operationRequest } from '../../test/operation-request.ts'
import { ways } from '../../test/ways.ts'
import type { OperationRequest } from './request.ts'
import { runOperation } from './run-operation.ts'

const folder = mkdtempSync(join(tmpdir(), 'tutti-full-disk-'))
const work = join(folder, 'work')
mkdirSync(work)

/** A disk of its own, as far as this user and machine allow. */
const isMounted =
  process.getuid?.() === 0 &&
  spawnSync('mount', ['-t', 'tmpfs', '-o', 'size=4m', 'tutti-test', work]).status === 0
const onSmallDisk = isMounted ? describe.each(ways) : () => undefined

afterAll(() => {
  if (isMounted) spawnSync('umount', [work])
  rmSync(folder, { recursive: true })
})

test('a disk that can be asked says whether it is full', async () => {
  const { isFull } = await import('./full-disk.ts')
  expect(await isFull(folder)).toBe(false)
})

onSmallDisk('on a disk that is full, %s', (_way, start) => {
  let manager: ContractManager
  beforeAll(async () => {
    manager = await startContractManager()
  })
  beforeEach(() => {
    for (const name of readdirSync(work)) rmSync(join(work, name), { recursive: true })
  })
  afterAll(() => manager.close())

  const run = (
    kwargs: Parameters<typeof operationRequest>[1],
    environment: Readonly<Record<string, string>> = {},
    changes: Partial<OperationRequest> = {},
  ) => {
    const given = operationRequest({ folder, port: manager.port }, kwargs, changes)
    const inherited = { ...given.environment.inherited, ...environment }
    return runOperation(
      { ...given, environment: { ...given.environment, inherited } },
      start,
      new AbortController().signal,
    )
  }
  const bash = (text: string) => run({ script_source: `#!/bin/bash\n${text}` })
  const python = (text: string) => run({ script_source: text, process: { eval_python: true } })

  const fill = `cat /dev/zero > ${work}/filling 2>/dev/null`
  const isFullDisk = {
    ok: false,
    error: { kind: 'recoverable', message: expect.stringContaining(`no space left on ${work}`) },
  }

  test('what a script has done counts, although the disk was full when it ended', async () => {
    expect(await bash(`${fill}; ctx returns done`)).toEqual({ ok: true, result: 'done' })
  })

  test('what a script has failed of counts as well', async () => {
    expect(await bash(`${fill}; ctx abort-operation "no way"`)).toMatchObject({
      error: { kind: 'non-recoverable', message: 'no way' },
    })
    // 2 MB of output are part of the message, and more than what was reserved.
    expect(await bash(`${fill}; head -c 2000000 /dev/zero | tr '\\0' x >&2; exit 3`)).toMatchObject({
      error: {
        kind: 'recoverable',
        type: 'ProcessException',
        message: expect.stringContaining('exit_code: 3'),
      },
    })
  })

  test('a result for which there is no room is asked for again', async () => {
    const text = `import subprocess\nfrom cloudify import ctx\nsubprocess.call('${fill}', shell=True)\nctx.returns('x' * 3000000)`
    expect(await python(text)).toMatchObject(isFullDisk)
  })

  test.each([0, 100_000])(
    'an operation for which there is no room is not started; %s bytes are left',
    async (left) => {
      writeFileSync(join(work, 'left'), Buffer.alloc(left))
      spawnSync('bash', ['-c', fill])
      rmSync(join(work, 'left'))
      expect(await bash(`touch ${folder}/was-run`)).toMatchObject(isFullDisk)
      expect(readdirSync(folder)).not.toContain('was-run')
    },
  )

  test('another SDK that dies of it without an answer is tried again', async () => {
    const sdk = join(folder, 'sdk', 'cloudify')
    mkdirSync(sdk, { recursive: true })
    writeFileSync(join(sdk, '__init__.py'), '')
    const die = `import os, sys\nif __name__ == '__main__':\n    os.system('${fill}')\n    open(sys.argv[1] + '/output.json', 'w').write('[')\n    sys.exit(1)\n`
    writeFileSync(join(sdk, 'dispatch.py'), die)
    expect(await run({}, { PYTHONPATH: join(folder, 'sdk') })).toMatchObject(isFullDisk)
  })
})
