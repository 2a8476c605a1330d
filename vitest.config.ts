import { availableParallelism } from 'node:os'
import { defineConfig } from 'vitest/config'

export default defineConfig({
  test: {
    include: ['src/**/*.test.ts', 'test/**/*.test.ts'],
    globalSetup: './test/tidy.ts',
    reporters: ['default', './test/closing-line.ts'],
    isolate: false,
    // Starting a program takes the longer the more memory a process has: several small processes instead of one with many threads.
    pool: 'forks',
    // Most files wait for programs that they have started: with one file for each core, the cores would be idle at times.
    maxWorkers: availableParallelism() + 1,
    // For hosts that are ten times overloaded; whatever hangs is found all the same.
    testTimeout: 600_000,
    hookTimeout: 600_000,
    expect: { poll: { timeout: 300_000 } },
  },
})
