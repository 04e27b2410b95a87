import { defineConfig } from 'vitest/config'

export default defineConfig({
  test: {
    include: ['packages/*/{src,test,corpus}/**/*.test.ts', 'scripts/**/*.test.ts', 'python/**/*.test.ts'],
    testTimeout: 120_000,
    hookTimeout: 120_000,
    maxWorkers: 2,
    passWithNoTests: false,
  },
})
