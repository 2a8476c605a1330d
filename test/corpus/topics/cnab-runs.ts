/** Judges of runs: what goes into an invocation image and what comes out of it. */
import { judgeStore } from './cnab-stored.ts'
import { existsSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { actionOf } from '../../../src/contracts/cnab/actions.ts'
import { faultsOfClaim, readClaim, readStatus } from '../../../src/contracts/cnab/claims.ts'
import { statusOfResults } from '../../../src/contracts/cnab/history.ts'
import { inject } from '../../../src/contracts/cnab/inject.ts'
import { usualOptions } from '../../../src/contracts/cnab/options.ts'
import { outputNames } from '../../../src/contracts/cnab/outputs.ts'
import { resolveValues } from '../../../src/contracts/cnab/values.ts'
import { judgeRun } from '../../../src/contracts/cnab/verdict.ts'
import { parseJson } from '../../../src/kit/exact.ts'
import { deepEqual, type JsonObject } from '../../../src/kit/json.ts'
import type { Secret } from '../../../src/kit/secret.ts'
import type { Problem } from '../../../src/model/problem.ts'
import type { Got } from '../../../src/model/report.ts'
import type { Verdict } from '../topic.ts'
import type { Judge } from './cnab.ts'
import { bundleWith, bytesOf, compare, corpusOf, load, type Row } from './cnab-verdict.ts'

export const runTables: Readonly<Record<string, Judge>> = {
  'claims.json': claims,
  'outputs.json': outputs,
  'resolve-and-inject.json': injections,
}

/** The table's words for our codes. */
const classes: Readonly<Record<string, string>> = {
  'cnab.action.undefined': 'unknown-action',
  'cnab.parameter.undefined': 'undefined-parameter',
  'cnab.definition.missing': 'undefined-definition',
  'cnab.parameter.missing': 'missing-parameter',
  'cnab.credential.missing': 'missing-credential',
  'cnab.parameter.invalid': 'invalid-value',
  'cnab.definition.default': 'invalid-default',
  'cnab.destination.reserved': 'reserved-env',
  'cnab.path.refused': 'bad-path',
  'cnab.destination.conflict': 'destination-conflict',
  'cnab.destination.missing': 'no-destination',
}

function* injections(file: string): Iterable<Verdict> {
  for (const row of load(file).cases as readonly Row[]) {
    const got = runOf(row)
    const { expect } = row
    if ('problem' in got) {
      const names = JSON.stringify([got.problem.where?.pointer ?? '', got.problem.detail ?? '', row.bundle.parameters ?? {}])
      const wanted = expect.error === undefined ? expect : [expect.error, true]
      yield compare(file, row.id, wanted, [classes[got.problem.code] ?? got.problem.code, names.includes(expect.name ?? '')])
      continue
    }
    const same = row.compare === 'json' ? deepEqual(asJson(expect), asJson(got)) : deepEqual(expect, got)
    yield compare(file, row.id, expect, same ? expect : got)
  }
}

function runOf(row: Row): { readonly problem: Problem } | { readonly env: JsonObject; readonly files: JsonObject } {
  const reading = bundleWith(row.bundle)
  if (reading.kind === 'refused') return { problem: reading.problems[0] }
  const { bundle } = reading
  if (actionOf(bundle, row.action) === undefined) return { problem: { code: 'cnab.action.undefined' } }
  const resolved = resolveValues(bundle, row.action, { given: row.values })
  if (resolved.kind === 'refused') return { problem: resolved.problems[0] }
  const injected = inject({ bundle, action: row.action, values: resolved.values, credentials: row.credentials })
  if (injected.kind === 'refused') return { problem: injected.problems[0] }
  return { env: plain(injected.environment), files: plain(injected.files) }
}

function plain(texts: Readonly<Record<string, string | Secret>>): JsonObject {
  return Object.fromEntries(
    Object.entries(texts).map(([name, text]) => [name, typeof text === 'string' ? text : text.reveal()]),
  )
}

function asJson({ env, files }: Row): unknown {
  const parsed = (texts: Record<string, string>) =>
    Object.entries(texts).map(([name, text]) => [name, text === '' ? '' : parseJson(text)])
  return [parsed(env), parsed(files)]
}

const problems: Readonly<Record<string, string>> = {
  'missing-output': 'cnab.output.missing',
  'action-failed': 'cnab.run.failed',
  type: 'cnab.output.type',
}

function* outputs(file: string): Iterable<Verdict> {
  for (const row of load(file).cases as readonly Row[]) {
    const { expect } = row
    const reading = bundleWith(row.bundle)
    if (reading.kind === 'refused') {
      yield compare(file, row.id, expect.refusedBeforeRun, true)
      continue
    }
    const { bundle } = reading
    const got = new Map<string, Got>(
      outputNames(bundle, row.action).map((name) => [
        `output ${name}`,
        name in row.written ? { kind: 'bytes', bytes: Buffer.from(row.written[name]) } : { kind: 'missing' },
      ]),
    )
    const report = {
      end: { kind: 'finished' },
      steps: [{ name: row.action, exit: row.exitCode }],
      got,
      logTail: '',
      startedAt: 0,
      finishedAt: 0,
      notes: [],
    } as const
    const verdict = judgeRun({ bundle, action: row.action, options: usualOptions }, report)
    const wanted = [
      expect.status,
      expect.outputs,
      expect.contentDigest ?? {},
      expect.problem === undefined ? undefined : problems[expect.problem],
    ]
    const texts = verdict.outputs.map(({ name, bytes }) => [name, Buffer.from(bytes).toString()])
    const digests = verdict.outputs.map(({ name, contentDigest }) => [name, contentDigest])
    yield compare(file, row.id, wanted, [
      verdict.status,
      Object.fromEntries(texts),
      expect.contentDigest === undefined ? {} : Object.fromEntries(digests),
      verdict.problems[0]?.code,
    ])
  }
}

function* claims(file: string): Iterable<Verdict> {
  const table = load(file)
  const path = join(corpusOf(file), 'claims/claim.allfields.json')
  if (existsSync(path)) {
    for (const { change, ok, message } of table.validate.cases) {
      const [, key = '', to = ''] = /^(\w+)(?: empty|=(\w+).*)$/.exec(change) ?? []
      const document = { ...(JSON.parse(readFileSync(path, 'utf8')) as JsonObject), ...(key === '' ? {} : { [key]: to }) }
      const read = readClaim(bytesOf(document))
      const faults = read.kind === 'refused' ? read.problems : faultsOfClaim(read.value)
      yield compare(file, `claim ${change}`, ok === true ? undefined : message, faults[0]?.detail)
    }
  }
  const { statuses, alsoRead, cases } = table.results
  for (const word of statuses) yield compare(file, `status ${word}`, word, readStatus(word))
  for (const [word, meaning] of Object.entries(alsoRead)) yield compare(file, `status ${word}`, meaning, readStatus(word))
  for (const [i, { results, expect }] of cases.entries())
    yield compare(file, `results ${i + 1}`, expect, statusOfResults(results ?? []))
  if (table.store) yield* judgeStore(file, table.store)
}
