import { chmodSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { operationRequest } from '../../test/operation-request.ts'
import { runInstaller } from './run-installer.ts'

let folder: string
beforeAll(() => {
  folder = mkdtempSync(join(tmpdir(), 'tutti-run-installer-'))
})
afterAll(() => rmSync(folder, { recursive: true }))

test('what an installation leaves running holds nobody up, though it keeps its output open', async () => {
  const [python, pid] = [join(folder, 'python'), join(folder, 'pid')]
  // In a session of its own, with nothing in its environment that says whose it is.
  const escaped = `env -i setsid sh -c 'echo $$ >${pid}; exec sleep 600' &`
  const answer = `while [ ! -s ${pid} ]; do sleep 0.01; done; echo '{"installed": ["p==1.0"]}'`
  writeFileSync(python, `#!/bin/sh\n(${escaped})\n${answer}\n`)
  chmodSync(python, 0o755)
  const { environment } = operationRequest({ folder, port: 1 }, {})
  const request = {
    kind: 'source',
    source: '/p',
    install_arguments: null,
    folder,
    work_folder: folder,
  } as const
  const installed = await runInstaller(join(folder, 'request.json'), request, {
    python,
    user: null,
    environment,
    signal: new AbortController().signal,
    onProgress: () => {},
    onOutput: () => {},
  })
  expect(installed).toEqual(['p==1.0'])
  process.kill(Number(readFileSync(pid, 'utf8')), 'SIGKILL')
})
