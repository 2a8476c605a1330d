import { defineConfig } from 'vitest/config'

export default defineConfig({
  test: {
    include: ['src/**/*.test.ts', 'test/**/*.test.ts'],
    globalSetup: './test/tidy.ts',
    reporters: ['default', './test/closing-line.ts'],
    isolate: false,
    pool: 'threads',
    testTimeout: 60_000,
    hookTimeout: 120_000,
  },
})
