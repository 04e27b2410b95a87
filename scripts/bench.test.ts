import { spawnSync } from 'node:child_process'
import { dirname, join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { expect, test } from 'vitest'

const bench = join(dirname(dirname(fileURLToPath(import.meta.url))), 'bench', 'run.ts')

/** That it runs: how fast is for people to read, never for a test to say. */
test('the benchmark runs and reports', () => {
  const args = [bench, '--quick', '--only', 'tiers,requests']
  const { status, stdout, stderr } = spawnSync(process.execPath, args, { encoding: 'utf8' })
  expect(stdout, stderr).toContain('operations/s')
  expect(stdout).toContain('| the version (`/version`) |')
  expect(stdout).toContain('## Memory')
  expect(status).toBe(0)
})
