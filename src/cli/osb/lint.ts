/** chandler osb lint: what would be refused in a catalog, where, and what to do. */
import { readFileSync } from 'node:fs'
import { lintCatalog } from '../../diagnostics/lint.ts'
import type { JsonObject } from '../../kit/json.ts'
import { plural } from '../../kit/text.ts'
import { readYaml, toldFault } from '../../kit/yaml.ts'
import { fail, failAll, type Problem } from '../../model/problem.ts'
import type { LintForm } from '../findings.ts'
import { printDocument } from '../output.ts'
import { toSarif } from '../sarif.ts'
import { coloured, print, readStdin } from '../terminal.ts'
import { type BrokerOptions, withClient } from './connection.ts'

interface LintOptions extends BrokerOptions {
  readonly output: LintForm
  readonly strict?: true
}

/** Lints a catalog from a file, standard input or a broker. Problems: lint.refused. */
export async function lint(source: string, options: LintOptions): Promise<void> {
  const { findings, verdicts } = lintCatalog(await catalogOf(source, options))
  if (options.output === 'sarif') {
    const results = findings.map(({ pointer, message, remedy, refusedBy }) => ({
      severity: refusedBy.length > 0 ? ('error' as const) : ('warning' as const),
      code: 'lint.refused',
      text: `${pointer}: ${message}`,
      fix: remedy,
      where: { source },
    }))
    print(JSON.stringify(toSarif(results), null, 2))
  } else if (options.output === 'json' || options.output === 'yaml') {
    await printDocument(options.output, 'CatalogLint', { verdicts, findings })
  } else {
    for (const { pointer, message, remedy, refusedBy, discouraged } of findings) {
      const who = refusedBy.length > 0 ? refusedBy.join(', ') : 'discouraged'
      print(`${pointer}: ${message}`)
      print(
        coloured('stdout', 'dim', `  ${who}${discouraged && refusedBy.length > 0 ? ', discouraged' : ''}`),
      )
      print(`  ${remedy}`)
    }
    print(`specification: ${verdicts.specification}`)
    print(`cloudfoundry: ${verdicts.cloudfoundry}`)
    print(`service-catalog: ${verdicts.serviceCatalog}`)
  }
  const counted = options.strict ? findings : findings.filter(({ refusedBy }) => refusedBy.length > 0)
  if (counted.length > 0) fail('lint.refused', plural(counted.length, 'finding'), { where: { source } })
}

async function catalogOf(source: string, options: LintOptions): Promise<JsonObject> {
  if (/^https?:\/\//.test(source)) {
    return withClient({ ...options, url: source.replace(/\/v2\/catalog\/?$/, '') }, (client) =>
      client.catalog(),
    )
  }
  const text = source === '-' ? await readStdin() : readText(source)
  const { value, faults } = readYaml(text)
  failAll(faults.map((fault): Problem => ({ code: 'lint.refused', ...toldFault(fault, source) })))
  return value as JsonObject
}

function readText(file: string): string {
  try {
    return readFileSync(file, 'utf8')
  } catch (cause) {
    return fail('file.unreadable', file, { cause })
  }
}
