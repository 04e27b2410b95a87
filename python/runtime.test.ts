import { execFile, spawnSync } from 'node:child_process'
import { readdirSync } from 'node:fs'
import { homedir } from 'node:os'
import { join } from 'node:path'
import { describe, expect, test } from 'vitest'

const files = readdirSync(join(import.meta.dirname, 'tests')).filter((name) => /^test_.*\.py$/.test(name))

/** What only a worker does, with the Python that it has: 20 environments, each a second of work. */
const workersOwn = 'test_plugin_environments.py'

// The runtime's own tests are Python's. Run one of them: python3 -m unittest tests.test_dispatch
describe.concurrent.each(interpreters())('the Python runtime keeps its promises on %s', (python) => {
  const own = files.filter((file) => python === 'python3' || file !== workersOwn)
  test.each(own)('%s', async (file) => {
    const { code, errors } = await unittest(python, `tests.${file.replace(/\.py$/, '')}`)
    expect(code, errors).toBe(0)
    expect(errors).toMatch(/Ran [1-9]\d* tests?/)
  }, 300_000)
})

/** This machine's, and the oldest that is supported where there is one. */
function interpreters(): readonly string[] {
  const versions = join(process.env.PYENV_ROOT ?? join(homedir(), '.pyenv'), 'versions')
  const old = spawnSync('ls', [versions], { encoding: 'utf8' })
    .stdout.split('\n')
    .filter((name) => name.startsWith('3.8.'))
    .map((name) => join(versions, name, 'bin', 'python3'))
  const oldest = ['python3.8', ...old].find((one) => spawnSync(one, ['-c', '']).status === 0)
  return oldest === undefined ? ['python3'] : ['python3', oldest]
}

function unittest(python: string, module: string): Promise<{ code: unknown; errors: string }> {
  const env = { ...process.env, PYTHONDONTWRITEBYTECODE: '1' }
  return new Promise((resolve) => {
    execFile(python, ['-m', 'unittest', module], { cwd: import.meta.dirname, env }, (error, _out, errors) =>
      resolve({ code: error === null ? 0 : error.code, errors }),
    )
  })
}
