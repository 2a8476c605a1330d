/** chandler osb cases: the cases of a fixture against a broker that offers it, a line per case that is not simply passed. */
import { readFileSync } from 'node:fs'
import type { BrokerConnection } from '../../client/broker-connection.ts'
import { type Case, levels } from '../../client/conformance/case.ts'
import { type CaseSet, ownCases, readCases } from '../../client/conformance/read-cases.ts'
import type { CaseVerdict } from '../../client/conformance/run-case.ts'
import { runCases, symbolsByName } from '../../client/conformance/run-cases.ts'
import type { Variables } from '../../client/conformance/variables.ts'
import { systemChance, systemClock } from '../../kit/clock.ts'
import { isObject, type Json } from '../../kit/json.ts'
import { present } from '../../kit/present.ts'
import { plural } from '../../kit/text.ts'
import { readYaml } from '../../kit/yaml.ts'
import { fail } from '../../model/problem.ts'
import { durationOf } from '../follow.ts'
import { type Form, printDocument } from '../output.ts'
import { coloured, isTerminal, print, sayOver } from '../terminal.ts'
import { type BrokerOptions, openBroker } from './connection.ts'

interface CasesOptions extends BrokerOptions {
  readonly output: Form
  readonly map?: string
  readonly level?: string
  readonly case?: string
  readonly cases?: string
  readonly wait: string
  readonly atOnce: string
}

/** Runs the cases and reports. Problems: conformance.not-met when one failed. */
export async function cases(url: string | undefined, options: CasesOptions): Promise<void> {
  const set = readCases([options.cases ?? ownCases()])
  const chosenCases = chosen(set.cases, options)
  const map = options.map === undefined ? undefined : readMap(options.map)
  const connection = openBroker({
    ...options,
    ...present({ url }),
    ...accountOf(map, options),
  })
  try {
    const bench = {
      connection,
      fixture: { ...set.fixture, apiVersion: options.apiVersion },
      symbols: await symbolsOf(connection, set, map),
      clock: systemClock,
      chance: systemChance,
      waitMs: durationOf(options.wait),
    }
    const verdicts: CaseVerdict[] = []
    const atOnce = Math.max(1, Number.parseInt(options.atOnce, 10) || 1)
    for await (const verdict of runCases(chosenCases, bench, atOnce)) {
      verdicts.push(verdict)
      if (isTerminal('stderr')) sayOver(`${verdicts.length}/${chosenCases.length} ${verdict.case.id}`)
    }
    if (isTerminal('stderr')) sayOver('')
    await report(verdicts, options.output)
  } finally {
    await connection.close()
  }
}

function chosen(cases: readonly Case[], options: CasesOptions): readonly Case[] {
  const wanted = options.level?.toUpperCase().split(',')
  const stray = wanted?.find((one) => !levels.some((level) => level === one))
  if (stray !== undefined) fail('usage.invalid', `there is no level ${stray}; there are ${levels.join(', ')}`)
  const ids = options.case?.toUpperCase().split(',')
  const kept = cases.filter(
    (one) =>
      (wanted === undefined || wanted.includes(one.level)) && (ids === undefined || ids.includes(one.id)),
  )
  return kept.length > 0 ? kept : fail('usage.invalid', 'no case is chosen')
}

function readMap(file: string): Variables {
  const { value } = readYaml(readFileSync(file, 'utf8'))
  if (!isObject(value)) return fail('usage.invalid', `${file} is not a map of symbols to ids`)
  return new Map(Object.entries(value) as [string, Json][])
}

/** The account of the map, unless one is given. */
function accountOf(map: Variables | undefined, options: CasesOptions): Partial<BrokerOptions> {
  const user = map?.get('user')
  const password = map?.get('password')
  if (options.user !== undefined || user === undefined || password === undefined) return {}
  return { user: String(user), password: String(password) }
}

async function symbolsOf(
  connection: BrokerConnection,
  { fixture }: CaseSet,
  map: Variables | undefined,
): Promise<Variables> {
  const { credentials } = connection
  if (credentials !== undefined && 'token' in credentials) {
    return fail('usage.invalid', 'the cases need a user and a password')
  }
  const account = new Map<string, Json>([
    ['user', credentials?.user ?? ''],
    ['password', credentials?.password.reveal() ?? ''],
  ])
  return map === undefined ? symbolsByName(connection, fixture, account) : new Map([...map, ...account])
}

async function report(verdicts: readonly CaseVerdict[], form: Form): Promise<void> {
  const sorted = verdicts.toSorted((a, b) => a.case.id.localeCompare(b.case.id))
  const count = (outcome: CaseVerdict['outcome']) => sorted.filter((one) => one.outcome === outcome).length
  const counts = { passed: count('passed'), failed: count('failed'), skipped: count('skipped') }
  if (form === 'json' || form === 'yaml') {
    const items = sorted.map(({ case: { id, title, level, ref }, ...rest }) => ({
      id,
      title,
      level,
      ref,
      ...rest,
    }))
    await printDocument(form, 'ConformanceReport', { ...counts, items })
  } else {
    for (const verdict of sorted) printVerdict(verdict, form === 'wide')
    const warnings = sorted.filter((one) => one.warnings.length > 0).length
    const extra = warnings > 0 ? `, ${plural(warnings, 'warning')}` : ''
    print(`${counts.passed} passed, ${counts.failed} failed, ${counts.skipped} skipped${extra}`)
  }
  // What a broker may do it may also leave.
  const counted = sorted.filter((one) => one.outcome === 'failed' && one.case.level !== 'MAY')
  if (counted.length > 0) fail('conformance.not-met', plural(counted.length, 'case'))
}

function printVerdict({ case: one, outcome, faults, warnings }: CaseVerdict, all: boolean): void {
  if (outcome === 'passed' && warnings.length === 0 && !all) return
  const colour = { passed: 'green', failed: 'red', skipped: 'yellow' } as const
  print(`${coloured('stdout', colour[outcome], outcome)}  ${one.id}  ${one.level}  ${one.title}`)
  for (const fault of faults) print(`  ${fault}`)
  for (const warning of warnings) print(`  warning: ${warning}`)
  if (outcome === 'failed' && one.ref !== undefined) print(`  rule: ${one.ref}`)
}
