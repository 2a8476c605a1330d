/** npm run corpus -- osb [FILES…] [--store sqlite|postgres]: conformance cases against a broker started for them. */
import { readFileSync } from 'node:fs'
import { basename } from 'node:path'
import { ownCases } from '../../../src/client/conformance/read-cases.ts'
import { type ConformanceStore, runConformance } from '../../conformance/osb/run.ts'
import { type LintCase, lintFaults, type VerdictCase, verdictFaults } from '../../support/osb-verdicts.ts'
import type { Topic, Verdict } from '../topic.ts'

const shared = '../shared/corpus/osb/conformance'

export const topic: Topic = {
  home: [shared, ownCases()],
  async *run(files, options) {
    // The two are the same cases; the ones in the project are there for whoever has no others.
    const chosen = files.includes(shared) ? files.filter((file) => file !== ownCases()) : files
    const tables = chosen.filter((file) => file.endsWith('.json'))
    for (const table of tables) yield* verdictsOf(table)
    const cases = chosen.filter((file) => !tables.includes(file))
    if (cases.length === 0) return
    const store = (options.get('store') ?? 'sqlite') as ConformanceStore
    for await (const { case: one, outcome, faults, warnings } of runConformance(cases, store)) {
      yield {
        name: `${one.id} ${one.title}`,
        outcome,
        ...(faults.length > 0 ? { why: faults.join('\n') } : {}),
        ...(warnings.length > 0 ? { warning: warnings.join('\n') } : {}),
      }
    }
  },
}

/** Tables of catalogs and of answers need no broker. */
function* verdictsOf(file: string): Iterable<Verdict> {
  const { cases } = JSON.parse(readFileSync(file, 'utf8')) as { readonly cases: readonly (LintCase | VerdictCase)[] }
  for (const [i, one] of cases.entries()) {
    const faults = 'catalog' in one ? lintFaults(one) : verdictFaults(one)
    const name = 'catalog' in one ? one.name : `${one.operation} ${one.status}`
    yield {
      name: `${basename(file)} ${i + 1}: ${name}`,
      outcome: faults.length === 0 ? 'passed' : 'failed',
      ...(faults.length > 0 ? { why: faults.join('\n') } : {}),
    }
  }
}
