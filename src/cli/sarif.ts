/** Findings as SARIF 2.1.0, which editors and code hosts show beside the lines they are about. */
import { isAbsolute, relative } from 'node:path'
import { pathToFileURL } from 'node:url'
import { present } from '../kit/present.ts'
import type { Problem } from '../model/problem.ts'
import { version } from './version.ts'

export interface LintFinding {
  readonly severity: 'error' | 'warning'
  readonly code: string
  readonly text: string
  readonly fix?: string
  readonly where?: Problem['where']
}

/** One run with all of them. */
export function toSarif(findings: readonly LintFinding[]): object {
  const codes = [...new Set(findings.map(({ code }) => code))]
  return {
    $schema: 'https://json.schemastore.org/sarif-2.1.0.json',
    version: '2.1.0',
    runs: [
      {
        tool: {
          driver: { name: 'chandler', version: version(), rules: codes.map((id) => ({ id })) },
        },
        results: findings.map((one) => resultOf(one, codes)),
      },
    ],
  }
}

function resultOf({ severity, code, text, fix, where }: LintFinding, codes: readonly string[]): object {
  const { source, line, column } = where ?? {}
  return present({
    ruleId: code,
    ruleIndex: codes.indexOf(code),
    level: severity,
    message: { text: fix === undefined ? text : `${text} ${fix}` },
    locations:
      source === undefined
        ? undefined
        : [
            {
              physicalLocation: present({
                artifactLocation: { uri: uriOf(source) },
                region: line === undefined ? undefined : present({ startLine: line, startColumn: column }),
              }),
            },
          ],
  })
}

/** Below the folder of the command a path is relative, as code hosts want it; references stay what they are. */
function uriOf(source: string): string {
  if (/^[a-z][a-z0-9+.-]+:/.test(source)) return encodeURI(source)
  const path = relative(process.cwd(), source)
  if (path.startsWith('..') || isAbsolute(path)) return pathToFileURL(source).href
  return path.split('/').map(encodeURIComponent).join('/')
}
