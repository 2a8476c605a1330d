/** npm run corpus -- osb [FILES…] [--store sqlite|postgres]: cases against a broker started for them, tables of verdicts. */
import { readdirSync, readFileSync, statSync } from 'node:fs'
import { basename, join } from 'node:path'
import { ownCases } from '../../../src/client/conformance/read-cases.ts'
import { type ConformanceStore, runConformance } from '../../conformance/osb/run.ts'
import {
  type LintCase,
  lintFaults,
  type MutatedCatalog,
  mutationFaults,
  type VerdictCase,
  verdictFaults,
} from '../../support/osb-verdicts.ts'
import type { Topic, Verdict } from '../topic.ts'

const shared = '../shared/corpus/osb'
const sharedCases = join(shared, 'conformance')

export const topic: Topic = {
  home: [shared, ownCases()],
  async *run(files, options) {
    const all = files.flatMap((file) => (file === shared ? filesIn(shared) : [file]))
    // The two are the same cases; the ones in the project serve a clone that has no others.
    const chosen = all.includes(sharedCases) ? all.filter((file) => file !== ownCases()) : all
    const cases: string[] = []
    for (const file of chosen) {
      if (file.endsWith('.json')) yield* verdictsOf(file)
      else if (file.endsWith('.jsonl')) yield* mutationsOf(file)
      else if (file.endsWith('.yaml') || statSync(file).isDirectory()) cases.push(file)
      else yield { name: file, outcome: 'failed', why: 'this topic knows no such file' }
    }
    if (cases.length > 0) yield* casesOf(cases, (options.get('store') ?? 'sqlite') as ConformanceStore)
  },
}

/** What is judged of a corpus folder: everything but its explanations. */
function filesIn(folder: string): readonly string[] {
  return readdirSync(folder).flatMap((name) => {
    const path = join(folder, name)
    if (name.endsWith('.md')) return []
    return statSync(path).isDirectory() && path !== sharedCases ? filesIn(path) : [path]
  })
}

async function* casesOf(files: readonly string[], store: ConformanceStore): AsyncIterable<Verdict> {
  for await (const { case: one, outcome, faults, warnings } of runConformance(files, store)) {
    yield {
      name: `${one.id} ${one.title}`,
      outcome,
      ...(faults.length > 0 ? { why: faults.join('\n') } : {}),
      ...(warnings.length > 0 ? { warning: warnings.join('\n') } : {}),
    }
  }
}

/** Tables of catalogs and of answers need no broker. */
function* verdictsOf(file: string): Iterable<Verdict> {
  const { cases } = JSON.parse(readFileSync(file, 'utf8')) as { readonly cases: readonly (LintCase | VerdictCase)[] }
  for (const [i, one] of cases.entries()) {
    const faults = 'catalog' in one ? lintFaults(one) : verdictFaults(one)
    const name = 'catalog' in one ? one.name : `${one.operation} ${one.status}`
    yield verdict(`${basename(file)} ${i + 1}: ${name}`, faults)
  }
}

function* mutationsOf(file: string): Iterable<Verdict> {
  for (const line of readFileSync(file, 'utf8').trimEnd().split('\n')) {
    const row = JSON.parse(line) as MutatedCatalog
    yield verdict(`${basename(file)} ${row.id}: ${row.change.join(', ')}`, mutationFaults(row))
  }
}

function verdict(name: string, faults: readonly string[]): Verdict {
  return faults.length === 0 ? { name, outcome: 'passed' } : { name, outcome: 'failed', why: faults.join('\n') }
}
