import { spawnSync } from 'node:child_process'
import { expect, test } from 'vitest'

// The runtime's own tests are Python's: python/tests/test_*.py. Run one: python3 -m unittest tests.test_dispatch
test('the Python runtime keeps its promises', () => {
  const { status, stderr } = spawnSync('/usr/bin/env', ['python3', '-m', 'unittest', 'discover'], {
    cwd: import.meta.dirname,
    encoding: 'utf8',
    env: { ...process.env, PYTHONDONTWRITEBYTECODE: '1' },
  })
  expect(status, stderr).toBe(0)
  expect(stderr).toMatch(/Ran [1-9]\d+ tests/)
})
