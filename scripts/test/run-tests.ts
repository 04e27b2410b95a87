import { spawnSync } from 'node:child_process'
import { mkdtempSync, readFileSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { fileURLToPath } from 'node:url'

const root = dirname(dirname(dirname(fileURLToPath(import.meta.url))))
const runner = join(root, 'scripts', 'with-node.mjs')

export type TestResult = { readonly passed: number; readonly failed: number }

/**
 * Runs vitest and counts. What did not run is not passed: a skipped test counts as failed, and so does a file that
 * could not be loaded, a run that broke down, and one that found no tests.
 */
export function runTests(args: readonly string[]): TestResult {
  const folder = mkdtempSync(join(tmpdir(), 'tutti-test-report-'))
  const file = join(folder, 'report.json')
  try {
    const reporters = ['--reporter=default', '--reporter=json', `--outputFile.json=${file}`]
    const { status } = spawnSync(
      process.execPath,
      [runner, '--bin', 'vitest', 'run', ...reporters, ...args],
      {
        cwd: root,
        stdio: ['ignore', 'inherit', 'inherit'],
      },
    )
    return count(readReport(file), status)
  } finally {
    rmSync(folder, { recursive: true })
  }
}

/** What we read of vitest's JSON report. */
type Report = {
  readonly numPassedTests: number
  readonly numFailedTests: number
  readonly testResults: readonly {
    readonly name: string
    readonly status: string
    readonly assertionResults: readonly { readonly status: string; readonly fullName: string }[]
  }[]
}

function readReport(file: string): Report | undefined {
  try {
    return JSON.parse(readFileSync(file, 'utf8')) as Report
  } catch (error) {
    console.error(`vitest left no report: ${error instanceof Error ? error.message : String(error)}`)
    return undefined
  }
}

function count(report: Report | undefined, status: number | null): TestResult {
  if (report === undefined) return { passed: 0, failed: 1 }
  const skipped = report.testResults.flatMap(({ name, assertionResults }) =>
    assertionResults
      .filter((one) => one.status !== 'passed' && one.status !== 'failed')
      .map(({ fullName }) => `${name}: ${fullName}`),
  )
  for (const test of skipped) console.error(`Not run, so not passed: ${test}`)
  const unloaded = report.testResults.filter(
    (file) => file.status === 'failed' && file.assertionResults.every((one) => one.status !== 'failed'),
  )
  const failed = report.numFailedTests + skipped.length + unloaded.length
  const isBroken = status !== 0 || report.numPassedTests === 0
  return { passed: report.numPassedTests, failed: failed === 0 && isBroken ? 1 : failed }
}
