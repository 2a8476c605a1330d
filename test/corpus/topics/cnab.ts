/** The CNAB contract: tables of the specification's rules, judged by the code that runs bundles. */
import { existsSync, readdirSync, statSync } from 'node:fs'
import { basename, join } from 'node:path'
import type { Topic, Verdict } from '../topic.ts'
import { documentTables } from './cnab-documents.ts'
import { runTables } from './cnab-runs.ts'
import { storedTables } from './cnab-stored.ts'

export const shared = '../shared/corpus/cnab'

export type Judge = (file: string) => AsyncIterable<Verdict> | Iterable<Verdict>

/** Each table with the function that judges it. */
export const tables: Readonly<Record<string, Judge>> = { ...documentTables, ...runTables, ...storedTables }

export const topic: Topic = {
  home: [existsSync(shared) ? shared : 'test/corpus/cnab'],
  async *run(paths) {
    for (const file of paths.flatMap(caseFiles)) {
      const judge = tables[basename(file)]
      if (judge) yield* judge(file)
      else yield { name: file, outcome: 'failed', why: 'nothing judges this table' }
    }
  },
}

/** The tables of a corpus; its other folders are what the tables are about. */
function caseFiles(path: string): readonly string[] {
  if (!statSync(path).isDirectory()) return [path]
  const folder = basename(path) === 'cases' ? path : join(path, 'cases')
  return readdirSync(folder)
    .filter((name) => name.endsWith('.json'))
    .sort()
    .map((name) => join(folder, name))
}

