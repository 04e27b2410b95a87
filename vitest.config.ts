import { defineConfig } from 'vitest/config'

export default defineConfig({
  test: {
    include: ['packages/*/{src,test,corpus}/**/*.test.ts', 'scripts/**/*.test.ts', 'python/**/*.test.ts'],
    globalSetup: 'packages/storage/src/testing/global-setup.ts',
    testTimeout: 120_000,
    hookTimeout: 120_000,
    maxWorkers: 2,
    passWithNoTests: false,
  },
})
