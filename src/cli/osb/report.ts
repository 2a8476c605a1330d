/** The report of a check: for people, as JSON or YAML, and as JUnit for build servers. */
import type { Finding, Judged } from '../../client/check/book.ts'
import type { CheckReport } from '../../client/check/check.ts'
import { present } from '../../kit/present.ts'
import { printable } from '../../kit/text.ts'
import { printDocument } from '../output.ts'
import { coloured, isTerminal, print, sayOver } from '../terminal.ts'
import { junitOf } from './junit.ts'

export const reportForms = ['table', 'wide', 'json', 'yaml', 'junit'] as const
export type ReportForm = (typeof reportForms)[number]

export async function printReport(report: CheckReport, form: ReportForm): Promise<void> {
  if (isTerminal('stderr')) sayOver('')
  if (form === 'junit') return print(junitOf(report))
  if (form === 'json' || form === 'yaml') return printDocument(form, 'BrokerCheck', documentOf(report))
  if (form === 'wide') for (const one of report.judged) printJudged(one)
  for (const finding of report.findings) printFinding(finding)
  printSummary(report)
}

function documentOf(report: CheckReport): object {
  const { minor, run, ordered, chosen, findings, judged, ledger, stopped } = report
  return {
    version: `2.${minor}`,
    run,
    ordered,
    ...present({ stopped }),
    summary: countsOf(report),
    plans: [
      ...chosen.plans.map(({ subject, parameters }) => ({ plan: subject, parameters })),
      ...chosen.left.map(({ subject, reason }) => ({ plan: subject, leftOut: reason })),
    ],
    findings,
    rules: judged,
    cleanUp: ledger,
  }
}

export function countsOf({ judged, findings, ledger }: CheckReport) {
  const rules = (outcome: Judged['outcome']) => judged.filter((one) => one.outcome === outcome).length
  const level = (word: Finding['level']) => findings.filter((one) => one.level === word).length
  const fate = (word: string) => ledger.filter((one) => one.fate === word).length
  return {
    kept: rules('kept'),
    broken: rules('broken'),
    notSeen: rules('not-seen'),
    findings: { MUST: level('MUST'), SHOULD: level('SHOULD'), INTEROP: level('INTEROP') },
    made: ledger.filter((one) => one.fate !== 'refused').length,
    deleted: fate('deleted'),
    left: fate('left'),
  }
}

function printJudged({ outcome, subject, rule, level, says, reason }: Judged): void {
  const colour = { kept: 'green', broken: 'red', 'not-seen': 'yellow' } as const
  const why = reason === undefined ? '' : ` (${reason})`
  print(
    `${coloured('stdout', colour[outcome], outcome.padEnd(8))}  ${printable(`${level}  ${subject}  ${rule}: ${says}${why}`)}`,
  )
}

function printFinding({
  level,
  subject,
  rule,
  section,
  says,
  expected,
  got,
  times,
  exchange,
}: Finding): void {
  const colour = level === 'MUST' ? 'red' : 'yellow'
  print(`${coloured('stdout', colour, level)}  ${printable(`${subject}  ${rule}: ${says}`)}`)
  print(printable(`  specification: ${section}`))
  if (exchange !== undefined) {
    const { method, path, body } = exchange.request
    print(printable(`  request:  ${method} ${path}${body === undefined ? '' : `  ${body}`}`))
    print(printable(`  answer:   ${exchange.answer.status}  ${exchange.answer.body}`))
  }
  print(printable(`  expected: ${expected}`))
  print(printable(`  got:      ${got}${times > 1 ? ` (${times} times)` : ''}`))
}

function printSummary(report: CheckReport): void {
  const { kept, broken, notSeen, findings, made, deleted, left } = countsOf(report)
  const { MUST, SHOULD, INTEROP } = findings
  print(
    `2.${report.minor}: ${kept} rules kept, ${broken} broken, ${notSeen} not seen; findings: ${MUST} MUST, ${SHOULD} SHOULD, ${INTEROP} INTEROP`,
  )
  for (const { rule, outcome, subject, reason } of report.judged)
    if (rule === 'provision.answer' && outcome === 'not-seen')
      print(printable(`Not ordered: ${subject}, ${reason}`))
  if (report.ordered) print(`made ${made}, deleted ${deleted}, left ${left}`)
  if (!report.ordered) print('Nothing was ordered; --order checks the life of instances and bindings, too.')
}
