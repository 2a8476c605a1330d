/** What a lint has found, the same for all lints: with place and remedy, for people, programs and editors. */
import { type Command, Option } from 'commander'
import { present } from '../kit/present.ts'
import { plural, printable } from '../kit/text.ts'
import { describePlace, type Problem } from '../model/problem.ts'
import { problemCodes } from '../model/problem-codes.ts'
import { type Form, forms, printDocument } from './output.ts'
import { type LintFinding, toSarif } from './sarif.ts'
import { coloured, print } from './terminal.ts'

export type LintForm = Form | 'sarif'

/** Whether a program reads what is printed. */
export function isForPrograms(form: LintForm): form is 'json' | 'yaml' | 'sarif' {
  return form === 'json' || form === 'yaml' || form === 'sarif'
}

/** Adds `-o`, which knows SARIF, too. */
export function withLintOutput(command: Command): Command {
  return command.addOption(
    new Option('-o, --output <form>', 'how to print the findings; sarif is for editors and code hosts')
      .choices([...forms, 'sarif'])
      .default('table'),
  )
}

/** Problems as findings. */
export function findingsOf(
  severity: LintFinding['severity'],
  problems: readonly Problem[],
): readonly LintFinding[] {
  return problems.map(({ code, detail, hint, where }) => {
    const { title, hint: usual } = problemCodes[code]
    const text = detail === undefined || detail === '' ? title : detail
    const fix = hint ?? usual
    return {
      severity,
      code,
      text: /[.!?]$/.test(text) ? text : `${text}.`,
      fix,
      ...present({ where }),
    }
  })
}

/** Prints them, then what they come to; an error makes the command end with 9. */
export async function printFindings(
  form: LintForm,
  { subject, findings, verdict = {} }: Linted,
): Promise<void> {
  const errors = findings.filter(({ severity }) => severity === 'error').length
  if (errors > 0) process.exitCode = 9
  if (form === 'sarif') return print(JSON.stringify(toSarif(findings), null, 2))
  if (form === 'json' || form === 'yaml')
    return printDocument(form, 'Lint', { subject, ...verdict, valid: errors === 0, findings })
  for (const { severity, code, text, fix, where } of findings) {
    const place = describePlace(where)
    const colour = severity === 'error' ? 'red' : 'yellow'
    const word = coloured('stdout', colour, `${severity}:`)
    print(`${word} ${printable(`${place === undefined ? '' : `${place}: `}${text} (${code})`)}`)
    if (fix !== undefined && form !== 'name') print(printable(`  fix: ${fix}`))
  }
  const warnings = findings.length - errors
  const counts = [
    ...(errors === 0 ? [] : [plural(errors, 'error')]),
    ...(warnings === 0 ? [] : [plural(warnings, 'warning')]),
  ]
  print(printable(`${counts.length === 0 ? 'ok' : counts.join(', ')}: ${subject}`))
}

export interface Linted {
  readonly subject: string
  readonly findings: readonly LintFinding[]
  /** What the lint knows beyond its findings. */
  readonly verdict?: object
}
