/** Findings of doctor on a terminal: a table, below it what to do, and the exit code that says whether anything must be done. */
import type { Finding } from '../api/findings.ts'
import { printable } from '../kit/text.ts'
import { printTable } from './table.ts'
import { coloured, print } from './terminal.ts'

export function printFindings(findings: readonly Finding[]): void {
  printTable(
    ['STATE', 'CHECK', 'FINDING'],
    findings.map(({ state, id, what }) => [state, printable(id), printable(what)]),
  )
  const fixes = findings.flatMap(({ state, id, fix }) =>
    state === 'ok' || fix === undefined ? [] : [`\n${coloured('stdout', 'bold', id)}: ${printable(fix)}`],
  )
  for (const line of new Set(fixes)) print(line)
}

/** 3 when something must be fixed; warnings are none. */
export function exitBy(findings: readonly Finding[]): void {
  if (findings.some(({ state }) => state === 'fail')) process.exitCode = 3
}
