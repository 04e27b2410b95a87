import { execFile } from 'node:child_process'
import { promisify } from 'node:util'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { passwordOf } from '../packages/manager/test/password-of.ts'
import { startTestSystem, type TestSystem } from '../packages/manager/test/test-system.ts'

let system: TestSystem
beforeAll(async () => {
  system = await startTestSystem()
})
afterAll(() => system.close())

test('the manager understands every method of the Python client', async () => {
  const { stdout, stderr } = await promisify(execFile)('python3', ['-m', 'tests.live_client'], {
    cwd: import.meta.dirname,
    env: {
      ...process.env,
      PYTHONDONTWRITEBYTECODE: '1',
      TUTTI_PORT: new URL(system.url).port,
      TUTTI_PASSWORD: passwordOf('admin'),
    },
  })
  expect(stdout).toBe('')
  expect(stderr).toBe('over\n')
})
