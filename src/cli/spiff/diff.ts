/** chandler spiff diff: what differs between two documents, or streams of them, in their structure. */
import type { Command } from 'commander'
import { type Cell, type Difference, differences, documentOf } from '../../languages/spiff/index.ts'
import { add } from '../command.ts'
import { coloured, print } from '../terminal.ts'
import { Documents } from './documents.ts'

export function addDiff(spiff: Command): void {
  add(spiff, {
    usage: 'diff <a> <b>',
    summary: 'Compare two documents by their structure',
    description:
      'Keys may stand in any order, and so may entries of lists that have a name; only the order of "jobs" counts. Streams are compared document by document. The exit code is 0 whether they differ or not.',
    examples: ['spiff diff deployed.yml new.yml', 'spiff diff a.json b.yml --separator ---'],
    aliases: ['d'],
  })
    .option('--separator <text>', 'print this behind each difference', '')
    .action((a: string, b: string, { separator }: { readonly separator: string }) => {
      const documents = new Documents()
      print(compared(a, b, { documents, separator }))
    })
}

interface How {
  readonly documents: Documents
  readonly separator: string
}

function compared(a: string, b: string, { documents, separator }: How): string {
  const [left, right] = [documents.parsed(a).documents, documents.parsed(b).documents]
  if (left.length !== right.length) return `Different number of documents (${left.length} != ${right.length})`
  const found = left.map((cell, i) => differences(cell, right[i] ?? cell))
  if (found.every((list) => list.length === 0)) return 'no differences!'
  const several = left.length > 1
  return found
    .flatMap((list, i) => {
      if (list.length === 0) return several ? [`No difference in document ${i + 1}`] : []
      const document = several ? `document ${i + 1} ` : ''
      return list.map((one) => told(one, { a, b, document }) + (separator === '' ? '' : `\n${separator}`))
    })
    .join('\n')
}

function told(
  { path, a, b }: Difference,
  names: { readonly a: string; readonly b: string; readonly document: string },
): string {
  return [
    `Difference in ${names.document}${path.join('.')}`,
    ...(a === undefined ? [] : [`  ${names.a} has:`, coloured('stdout', 'red', indented(a))]),
    ...(b === undefined ? [] : [`  ${names.b} has:`, coloured('stdout', 'green', indented(b))]),
  ].join('\n')
}

function indented(cell: Cell): string {
  return documentOf(cell).yaml().trimEnd().replace(/^/gm, '    ')
}
