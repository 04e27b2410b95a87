/** What .ci/run runs: the check (one more test, as it were) and the tests. The last line is the count of both. */
import { spawnSync } from 'node:child_process'
import { dirname, join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { runTests } from './test/run-tests.ts'

const check = join(dirname(fileURLToPath(import.meta.url)), 'check.ts')
const isClean = spawnSync(process.execPath, [check], { stdio: 'inherit' }).status === 0

const tests = runTests([])
const passed = tests.passed + (isClean ? 1 : 0)
const failed = tests.failed + (isClean ? 0 : 1)
if (!isClean) console.error('npm run check failed: see the top of this output')
console.log(`${passed} passed, ${failed} failed`)
process.exitCode = failed === 0 ? 0 : 1
