import { execFileSync, spawnSync } from 'node:child_process'
import { mkdir, readdir, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { afterEach, beforeEach, expect, test } from 'vitest'
import { type TestEnvironment, testEnvironment } from '../../test/test-environment.ts'
import { run } from '../run.ts'
import { installedParts } from '../serve/installed-parts.ts'

let environment: TestEnvironment
beforeEach(async () => {
  environment = await testEnvironment()
})
afterEach(() => environment.remove())

const tutti = (...words: readonly string[]) => run(['plugins', ...words], environment, installedParts, '0')

const sdk = join(import.meta.dirname, '../../../../python')

/** A Python that can build packages without a network. */
function builder(): string {
  const found = ['python3', '/usr/bin/python3'].find(
    (one) => spawnSync(one, ['-c', 'import ensurepip, setuptools, wheel']).status === 0,
  )
  if (found === undefined) throw new Error('No Python here has ensurepip, setuptools and wheel')
  const folder = join(environment.home, 'python')
  execFileSync(found, ['-m', 'venv', '--system-site-packages', folder])
  return join(folder, 'bin', 'python')
}

test('a new plugin passes its tests, and is packed as a wagon', async () => {
  expect(await tutti('init', 'my-plugin')).toBe(0)
  const folder = join(environment.home, 'my-plugin')
  execFileSync('python3', ['-m', 'unittest'], {
    cwd: folder,
    env: { ...process.env, PYTHONPATH: sdk },
    stdio: 'ignore',
  })
  await mkdir(join(environment.home, 'wheels'))
  expect(await tutti('pack', 'my-plugin', '--wheels', 'wheels', '--python', builder())).toBe(0)
  expect(await readdir(environment.home)).toContain('my_plugin-0.1.0-py3-none-any.wgn')
  expect(environment.written()).toContain('my-plugin 0.1.0 is in')
})

test('what is no project, or needs what is not there, is not packed', async () => {
  await mkdir(join(environment.home, 'empty'))
  expect(await tutti('pack', 'empty')).toBe(2)
  expect(environment.errors()).toContain('neither pyproject.toml nor setup.py')
  expect(await tutti('pack', 'empty', '--python', '/nowhere/python')).toBe(2)
  expect(environment.errors()).toContain('/nowhere/python was not started')
})

test('a folder that is there already is not made a new plugin', async () => {
  await mkdir(join(environment.home, 'mine'))
  await writeFile(join(environment.home, 'mine', 'kept'), '')
  expect(await tutti('init', 'mine')).toBe(2)
  expect(await tutti('init', '../mine')).toBe(2)
  expect(await readdir(join(environment.home, 'mine'))).toEqual(['kept'])
})
