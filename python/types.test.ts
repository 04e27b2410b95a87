import { spawnSync } from 'node:child_process'
import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { expect, test } from 'vitest'

const mypy = (args: readonly string[], env: Readonly<Record<string, string>> = {}) =>
  spawnSync('mypy', [...args], {
    cwd: import.meta.dirname,
    encoding: 'utf8',
    env: { ...process.env, MYPY_CACHE_DIR: join(tmpdir(), 'tutti-mypy'), ...env },
  })

/** Where nobody has mypy, types cannot be tried. CI installs it (.ci/run), and there it must not be missing. */
const isThere = mypy(['--version']).status === 0
if (isThere || process.env.TUTTI_TEST_ALL === '1') {
  test('the SDK has the types that it says', () => {
    const { status, stdout, stderr } = mypy([])
    expect(status, `${stdout}${stderr}`).toBe(0)
  })

  test('scripts get the types of what they call', async () => {
    const folder = await mkdtemp(join(tmpdir(), 'tutti-types-'))
    const text = await readFile(join(import.meta.dirname, '..', 'docs', 'python.md'), 'utf8')
    for (const [, block = '', name = ''] of text.matchAll(/^```python\n(# (deploy|typed)\.py\n.*?)^```/gms)) {
      await writeFile(join(folder, `${name}.py`), block)
    }
    await writeFile(join(folder, 'wrong.py'), wrong)
    const env = { MYPYPATH: import.meta.dirname }
    const right = mypy(['--strict', join(folder, 'typed.py')], env)
    expect(right.status, right.stdout).toBe(0)
    expect(mypy(['--check-untyped-defs', join(folder, 'deploy.py')], env).stdout).toMatch(/^Success/)
    const { stdout } = mypy([join(folder, 'wrong.py')], env)
    await rm(folder, { recursive: true })
    expect(stdout.match(/error:.*/g)).toEqual([
      expect.stringContaining('Missing positional argument "deployment_id"'),
      expect.stringContaining('incompatible type "int"; expected "str"'),
      expect.stringContaining('"Execution" has no attribute "colour"'),
      expect.stringContaining('"CloudifyClient" has no attribute "spaceships"'),
    ])
  })
}

const wrong = `from cloudify_rest_client import CloudifyClient
client = CloudifyClient('host')
client.deployments.create('blueprint')
client.sites.get(1)
client.executions.get('id').colour
client.spaceships
`
