/** The options of the spiff commands, and what they mean for the language. */
import type { Command } from 'commander'
import { Option } from 'commander'
import {
  type Cell,
  DefineFault,
  Dict,
  defines,
  localLimits,
  processSpiff,
  type SpiffOptions,
  strictLimits,
  toValue,
} from '../../languages/spiff/index.ts'
import { fail } from '../../model/problem.ts'
import type { Documents } from './documents.ts'
import { failed } from './faults.ts'
import { localPorts } from './local.ts'

export { failed }

export interface SpiffFlags {
  readonly interpolation?: true
  readonly control?: true
  readonly features: readonly string[]
  readonly define: readonly string[]
  readonly bindings?: string
  readonly tag: readonly string[]
  readonly private?: true
}

export interface ShapeFlags {
  readonly json?: true
  readonly split?: true
  readonly path?: string
  readonly select: readonly string[]
  readonly evaluate?: string
  readonly expr?: string
  readonly partial?: true
  readonly preserveEscapes?: true
  readonly preserveTemporary?: true
  readonly state?: string
  readonly explain?: string
}

/** What all commands take. */
export function sharedFlags(command: Command): Command {
  return command
    .option('--interpolation', 'evaluate ((…)) inside of texts')
    .option('--control', 'honour <<if, <<switch, <<type, <<for, <<merge')
    .option(
      '--features <list>',
      'interpolation, control, or nointerpolation, nocontrol; may be repeated, and adds to SPIFF_FEATURES',
      collect,
      [],
    )
    .option('-D, --define <path=value>', 'a value bound from outside; may be repeated', collect, [])
    .option('--bindings <file>', 'values bound from outside, as a map')
    .option('--tag <name:file>', 'a file known by a tag; may be repeated', collect, [])
    .option('--private', 'no files, programs, environment, clock or chance, and strict limits')
}

/** What commands take that print documents. */
export function shapedFlags(command: Command): Command {
  return command
    .option('--json', 'print JSON')
    .option('--split', 'print the entries of a list as documents')
    .option('--path <path>', 'print only what is there')
    .option('--select <path>', 'print a map of these places; may be repeated', collect, [])
    .option('--evaluate <expression>', 'print an expression over the result')
    .addOption(new Option('--expr <expression>', 'the same').conflicts('evaluate').hideHelp())
    .option('--partial', 'leave what is unresolved as expressions')
    .option('--preserve-escapes', 'keep escaped expressions escaped')
    .option('--preserve-temporary', 'keep temporary fields')
    .option('--state <file>', 'keep fields marked &state in a file')
    .option('--explain <path>', 'show where a value came from')
}

/** For options that may be repeated. */
export function collect(word: string, before: readonly string[]): readonly string[] {
  return [...before, word]
}

/** The options of a run. */
export function optionsOf(flags: SpiffFlags, documents: Documents): SpiffOptions {
  const features = featuresOf([process.env['SPIFF_FEATURES'] ?? '', ...flags.features])
  const options = {
    interpolation: flags.interpolation ?? features.has('interpolation'),
    control: flags.control ?? features.has('control'),
    bindings: bindingsOf(flags, documents),
    ports: flags.private ? {} : localPorts(),
    limits: flags.private ? strictLimits : localLimits,
  }
  return { ...options, tags: tagsOf(flags.tag, options, documents) }
}

/** What is asked for at the end: the environment comes first, and a later word counts. */
function featuresOf(lists: readonly string[]): ReadonlySet<string> {
  const features = new Set<string>()
  for (const word of lists.flatMap((list) => list.split(',').map((one) => one.trim()))) {
    const name = word.replace(/^no/, '')
    if (word !== '' && name !== 'interpolation' && name !== 'control')
      return fail('usage.invalid', `there is no feature "${word}"`, {
        hint: 'The features are interpolation and control.',
      })
    if (name === word) features.add(name)
    else features.delete(name)
  }
  return features
}

/** A tag may have colons itself, and so may the address of a file. */
const tagForm = /^([A-Za-z_]\w*(?:[:.][A-Za-z_]\w*)*?):(https?:.+|[^:]+)$/

/** Each file is processed by itself first. */
function tagsOf(
  list: readonly string[],
  options: SpiffOptions,
  documents: Documents,
): ReadonlyMap<string, Cell> {
  const tags = new Map<string, Cell>()
  for (const word of list) {
    const [, tag = '', file = ''] = tagForm.exec(word) ?? []
    if (tag === '')
      return fail('usage.invalid', `"${word}" is no tag with a file`, { hint: 'Write --tag name:file.' })
    const result = processSpiff(documents.parsed(file), [], options)
    if (result.kind === 'failed') return failed(result.fault)
    const [document] = result.documents
    if (document !== undefined) tags.set(tag, document.cell)
  }
  return tags
}

function bindingsOf(flags: SpiffFlags, documents: Documents): Dict {
  const [file] = flags.bindings === undefined ? [] : documents.parsed(flags.bindings).documents
  if (file !== undefined && !(file.value instanceof Dict))
    return fail('spiff.document.unreadable', 'bindings must be a map', { where: { source: file.source } })
  return dataOf([...dataOf(file?.value).cells, ...dataOf(definitions(flags.define)).cells])
}

function definitions(list: readonly string[]): unknown {
  try {
    return toValue(defines(list))
  } catch (error) {
    if (error instanceof DefineFault)
      return fail('spiff.document.unreadable', error.message, {
        hint: 'Write -D name=value or -D name.field=value.',
      })
    throw error
  }
}

/** A map of the language; anything else counts as empty. */
export function dataOf(value: unknown): Dict {
  if (value instanceof Dict) return value
  return new Dict(new Map(Array.isArray(value) ? value : []))
}
