import { execFileSync } from 'node:child_process'
import { delimiter, dirname, join } from 'node:path'
import { defineConfig } from 'vitest/config'
import { LongestFirst } from './scripts/test/longest-first.ts'

/** Where pyenv or asdf stand in between, each start of `python3` costs as much again: operations find it directly. */
function pythonFolder(): string {
  const program = execFileSync('python3', ['-c', 'import sys; print(sys.executable)'], { encoding: 'utf8' })
  return dirname(program.trim())
}

export default defineConfig({
  test: {
    include: ['packages/*/{src,test,corpus}/**/*.test.ts', 'scripts/**/*.test.ts', 'python/**/*.test.ts'],
    globalSetup: 'packages/storage/src/testing/global-setup.ts',
    testTimeout: 120_000,
    hookTimeout: 120_000,
    // A second is too short on a machine that is busy; what never happens fails all the same.
    expect: { poll: { timeout: 60_000 } },
    // Two more than the cores of a small machine: some always wait for a process, a lease or a database. With one more,
    // two cores were busy for 85 % of the time.
    maxWorkers: 4,
    sequence: { sequencer: LongestFirst },
    // Loading the manager takes longer than most files do: each process loads it once for all files that it runs.
    isolate: false,
    env: {
      PATH: `${pythonFolder()}${delimiter}${process.env.PATH}`,
      // Command lines that tests start find their sources compiled.
      NODE_COMPILE_CACHE: join(import.meta.dirname, 'node_modules', '.compile-cache'),
    },
    // `npm run coverage`. What command lines do in processes of their own is not counted.
    coverage: {
      provider: 'v8',
      include: ['packages/*/src/**/*.ts'],
      exclude: ['**/*.test.ts', '**/testing/**'],
      reporter: ['text-summary', 'html', 'json-summary'],
      reportsDirectory: 'coverage',
    },
    passWithNoTests: false,
  },
})
