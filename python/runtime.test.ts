import { execFile } from 'node:child_process'
import { readdirSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, test } from 'vitest'

const files = readdirSync(join(import.meta.dirname, 'tests')).filter((name) => /^test_.*\.py$/.test(name))

// The runtime's own tests are Python's. Run one of them: python3 -m unittest tests.test_dispatch
describe.concurrent('the Python runtime keeps its promises', () => {
  test.each(files)('%s', async (file) => {
    const { code, errors } = await unittest(`tests.${file.replace(/\.py$/, '')}`)
    expect(code, errors).toBe(0)
    expect(errors).toMatch(/Ran [1-9]\d* tests?/)
  })
})

function unittest(module: string): Promise<{ code: unknown; errors: string }> {
  const env = { ...process.env, PYTHONDONTWRITEBYTECODE: '1' }
  return new Promise((resolve) => {
    execFile('python3', ['-m', 'unittest', module], { cwd: import.meta.dirname, env }, (error, _out, errors) =>
      resolve({ code: error === null ? 0 : error.code, errors }),
    )
  })
}
