/** chandler spiff convert: prints documents in one form, without processing them. */
import type { Command } from 'commander'
import { documentOf } from '../../languages/spiff/index.ts'
import { add } from '../command.ts'
import { print } from '../terminal.ts'
import { Documents } from './documents.ts'
import { collect, type ShapeFlags } from './flags.ts'
import { parts, writeDocuments } from './output.ts'

export function addConvert(spiff: Command): void {
  add(spiff, {
    usage: 'convert <document>',
    summary: 'Print a document as YAML or JSON without processing it',
    description: 'Reads the dialect of the language; expressions stay as they are.',
    examples: ['spiff convert values.json', 'spiff convert values.yml --json --path db'],
    aliases: ['c'],
  })
    .option('--json', 'print JSON')
    .option('--split', 'print the entries of a list as documents')
    .option('--path <path>', 'print only what is there')
    .option('--select <path>', 'print a map of these places; may be repeated', collect, [])
    .action((name: string, flags: Pick<ShapeFlags, 'json' | 'split' | 'path' | 'select'>) => {
      const { documents } = new Documents().parsed(name)
      const shown = documents.map((cell) =>
        documents.length > 1 && cell.value === null ? undefined : parts(documentOf(cell), flags),
      )
      print(writeDocuments(shown, { json: flags.json ?? false, split: flags.split ?? false }))
    })
}
