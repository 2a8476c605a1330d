/** A reporter that closes with what was skipped, what failed, and the one line every runner understands: N passed, N failed, N skipped. */
import { writeFileSync } from 'node:fs'
import type { Reporter, TestModule } from 'vitest/node'
import { addUp, closingLine, type FileOutcome, outcomeVariable, type RunOutcome } from './run-outcome.ts'

/** Errors outside any test carry the file that was running, where the runner knows it. */
interface StrayError {
  readonly VITEST_TEST_PATH?: string
  readonly message?: string
}

export default class ClosingLine implements Reporter {
  onTestRunEnd(modules: readonly TestModule[], errors: readonly StrayError[]): void {
    const files = modules.map((module) => outcomeOf(module, errors))
    const known = new Set(modules.map(({ moduleId }) => moduleId))
    const elsewhere = errors.filter(({ VITEST_TEST_PATH: path = '' }) => !known.has(path))
    const outcome: RunOutcome = { files, elsewhere: elsewhere.map(({ message }) => message ?? 'an error') }
    for (const [why, times] of skippedIn(modules)) console.log(`skipped ${times} in ${why}`)
    const told = process.env[outcomeVariable]
    if (told !== undefined) writeFileSync(told, JSON.stringify(outcome))
    else console.log(closingLine(addUp(outcome)))
  }
}

function outcomeOf(module: TestModule, errors: readonly StrayError[]): FileOutcome {
  const tests = [...module.children.allTests()]
  const inState = (state: string) => tests.filter((test) => test.result().state === state)
  const failed = inState('failed').map(({ fullName }) => fullName)
  const strays = errors.filter(({ VITEST_TEST_PATH: path }) => path === module.moduleId)
  const wholeFile = module.state() === 'failed' && failed.length === 0 ? ['the file itself'] : []
  return {
    file: module.relativeModuleId,
    passed: inState('passed').length,
    failed: [
      ...failed,
      ...wholeFile,
      ...strays.map(({ message }) => `outside a test: ${message ?? 'an error'}`),
    ],
    skipped: inState('skipped').length,
  }
}

function skippedIn(modules: readonly TestModule[]): ReadonlyMap<string, number> {
  const skipped = new Map<string, number>()
  for (const module of modules)
    for (const test of module.children.allTests()) {
      const result = test.result()
      if (result.state !== 'skipped') continue
      const why = `${module.relativeModuleId}: ${('note' in result && result.note) || test.fullName}`
      skipped.set(why, (skipped.get(why) ?? 0) + 1)
    }
  return skipped
}
