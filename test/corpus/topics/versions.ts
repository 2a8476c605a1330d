/** Corpus topic versions: what Masterminds' and HashiCorp's libraries say of versions and constraints, asked of spiff, CNAB and brokerpak. */
import { readdirSync, statSync } from 'node:fs'
import { basename, join } from 'node:path'
import { compareVersions, fits, isVersion } from '../../../src/contracts/brokerpak/versions.ts'
import { chooseVersion } from '../../../src/contracts/cnab/dependencies.ts'
import { processSpiff } from '../../../src/languages/spiff/index.ts'
import type { Topic, Verdict } from '../topic.ts'
import { json, verdict } from './ocm-documents.ts'

interface Row {
  readonly constraint: string
  readonly version: string
  readonly satisfies?: boolean
  readonly invalid?: 'constraint' | 'version'
  readonly a: string
  readonly b: string
  readonly order?: number
  readonly prereleases: boolean
  readonly versions: readonly string[]
  readonly matching?: readonly string[]
  readonly highest?: string | null
}

/** A found and a wanted answer. */
type Judge = (row: Row) => readonly [unknown, unknown]

export const versionTables: Readonly<Record<string, Judge>> = {
  'masterminds-constraints.json': (row) => [
    matched(row),
    row.invalid ?? row.satisfies,
  ],
  'masterminds-order.json': (row) => [spiff('semvercmp(x, y)', row.a, row.b), row.invalid ?? row.order],
  'masterminds-highest.json': (row) => [tags(row), row.invalid ?? row.matching],
  'hashicorp-constraints.json': (row) => [fitting(row), row.invalid ?? row.satisfies],
  'hashicorp-order.json': (row) => [ordered(row), row.invalid ?? row.order],
  'hashicorp-highest.json': (row) => [releases(row), row.invalid ?? row.matching],
}

export const topic: Topic = {
  home: ['test/corpus/versions'],
  async *run(files) {
    for (const file of files.flatMap(tablesIn)) yield* judgeFile(file)
  },
}

function tablesIn(path: string): readonly string[] {
  if (!statSync(path).isDirectory()) return [path]
  return readdirSync(path)
    .filter((name) => name.endsWith('.json'))
    .map((name) => join(path, name))
}

function* judgeFile(file: string): Iterable<Verdict> {
  const name = basename(file)
  const judge = versionTables[name]
  if (judge === undefined) {
    yield { name, outcome: 'failed', why: 'no judge knows this file' }
    return
  }
  for (const row of json<{ rows: readonly Row[] }>(file).rows) {
    const [found, wanted] = judge(row)
    yield verdict(`${name} ${JSON.stringify(row)}`, found, wanted)
  }
}

/** The original of spiff reads the version first, the measurement the constraint. */
function matched({ version, constraint }: Row): unknown {
  const readable = spiff('semvermatch(x, y)', '1.0.0', constraint)
  return readable === 'constraint' ? readable : spiff('semvermatch(x, y)', version, constraint)
}

/** An expression over two texts, which are handed in as values. */
function spiff(expression: string, x: string, y: string): unknown {
  const result = processSpiff({ name: 'versions', text: `v: (( ${expression} ))` }, [], { bindings: { x, y } })
  if (result.kind === 'done') return (result.documents[0]?.value as { v: unknown }).v
  return result.fault.message.includes('invalid constraint') ? 'constraint' : 'version'
}

/** All tags that fit, highest first: each is chosen once the higher ones are gone. */
function tags({ constraint, prereleases, versions }: Row): unknown {
  const ranges = constraint === '' ? [] : [constraint]
  const left = versions.filter((tag) => tag !== 'latest')
  const found: string[] = []
  for (;;) {
    const chosen = chooseVersion({ alias: 'db', bundle: 'example.com/db', ranges, prereleases }, left, 'max-minor')
    if (chosen.kind === 'refused') {
      return chosen.problem.detail?.startsWith('improper constraint') ? 'constraint' : found
    }
    found.push(chosen.tag.replaceAll('_', '+'))
    left.splice(left.indexOf(chosen.tag), 1)
  }
}

function fitting({ version, constraint }: Row): unknown {
  if (fits('1', constraint) === undefined) return 'constraint'
  return fits(version, constraint) ?? 'version'
}

function ordered({ a, b }: Row): unknown {
  return isVersion(a) && isVersion(b) ? compareVersions(a, b) : 'version'
}

function releases({ constraint, prereleases, versions }: Row): unknown {
  if (constraint !== '' && fits('1', constraint) === undefined) return 'constraint'
  return versions
    .filter((version) => isVersion(version) && (prereleases || fits(version, '>= 0') === true))
    .filter((version) => constraint === '' || fits(version, constraint) === true)
    .sort((a, b) => compareVersions(b, a))
}
