/** A reporter that closes with the one line every runner understands: N passed, N failed, N skipped. */
import type { Reporter, TestModule } from 'vitest/node'

export default class ClosingLine implements Reporter {
  onTestRunEnd(modules: readonly TestModule[], errors: readonly unknown[]): void {
    const count = { passed: 0, failed: errors.length, skipped: 0 }
    const skipped = new Map<string, number>()
    for (const module of modules) {
      if (module.state() === 'failed' && [...module.children.allTests()].length === 0) count.failed++
      for (const test of module.children.allTests()) {
        const { state } = test.result()
        if (state === 'pending') continue
        count[state]++
        if (state === 'skipped') {
          const result = test.result()
          const why = `${module.relativeModuleId}: ${('note' in result && result.note) || test.fullName}`
          skipped.set(why, (skipped.get(why) ?? 0) + 1)
        }
      }
    }
    for (const [why, times] of skipped) console.log(`skipped ${times} in ${why}`)
    console.log(`${count.passed} passed, ${count.failed} failed, ${count.skipped} skipped`)
  }
}
