/** The report of a check as JUnit: a suite for the broker and for each plan, a case for each rule. */
import type { Finding, Judged } from '../../client/check/book.ts'
import type { CheckReport } from '../../client/check/check.ts'
import { printable } from '../../kit/text.ts'

export function junitOf({ judged, findings }: CheckReport): string {
  const subjects = [...new Set(judged.map(({ subject }) => subject))]
  const suites = subjects.flatMap((subject) =>
    suiteOf(
      subject,
      judged.filter((one) => one.subject === subject),
      findings.filter((one) => one.subject === subject),
    ),
  )
  return ['<?xml version="1.0" encoding="UTF-8"?>', '<testsuites>', ...suites, '</testsuites>'].join('\n')
}

function suiteOf(
  subject: string,
  judged: readonly Judged[],
  findings: readonly Finding[],
): readonly string[] {
  const count = (outcome: Judged['outcome']) => judged.filter((one) => one.outcome === outcome).length
  return [
    `  <testsuite name=${quoted(subject)} tests="${judged.length}" failures="${count('broken')}" skipped="${count('not-seen')}">`,
    ...judged.flatMap((one) =>
      caseOf(
        one,
        findings.filter(({ rule }) => rule === one.rule),
      ),
    ),
    '  </testsuite>',
  ]
}

function caseOf(
  { rule, level, says, subject, outcome, reason }: Judged,
  findings: readonly Finding[],
): readonly string[] {
  const open = `    <testcase classname=${quoted(`${subject}.${level}`)} name=${quoted(`${rule}: ${says}`)}`
  if (outcome === 'kept') return [`${open}/>`]
  if (outcome === 'not-seen')
    return [`${open}>`, `      <skipped message=${quoted(reason ?? '')}/>`, '    </testcase>']
  const failures = findings.map(
    (one) =>
      `      <failure type="${level}" message=${quoted(`expected ${one.expected}, got ${one.got}`)}>${escaped(detailOf(one))}</failure>`,
  )
  return [`${open}>`, ...failures, '    </testcase>']
}

function detailOf({ section, exchange }: Finding): string {
  if (exchange === undefined) return section
  const { request, answer } = exchange
  return [
    section,
    `${request.method} ${request.path}`,
    request.body ?? '',
    `${answer.status} ${answer.body}`,
  ].join('\n')
}

function quoted(text: string): string {
  return `"${escaped(text).replaceAll('"', '&quot;').replaceAll('\n', ' ')}"`
}

function escaped(text: string): string {
  return printable(text).replaceAll('&', '&amp;').replaceAll('<', '&lt;').replaceAll('>', '&gt;')
}
