/** `npm test [-- VITEST ARGUMENTS]`: all tests; the last line is the count, the exit code 1 when something failed. */
import { runTests } from './test/run-tests.ts'

const { passed, failed } = runTests(process.argv.slice(2))
console.log(`${passed} passed, ${failed} failed`)
process.exitCode = failed === 0 ? 0 : 1
