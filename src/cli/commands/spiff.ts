/** chandler spiff: merges, processes, evaluates and checks templates on the command line. */
import { copyFileSync, existsSync, renameSync, writeFileSync } from 'node:fs'
import type { Command } from 'commander'
import { present } from '../../kit/present.ts'
import { plural } from '../../kit/text.ts'
import {
  below,
  Dict,
  explain,
  explanationText,
  type LintFinding,
  lint,
  pathSteps,
  processSpiff,
  type SourceText,
  type SpiffDocument,
  type SpiffSource,
} from '../../languages/spiff/index.ts'
import { fail } from '../../model/problem.ts'
import { add } from '../command.ts'
import { isForPrograms, type LintForm, printFindings, withLintOutput } from '../findings.ts'
import { addConvert } from '../spiff/convert.ts'
import { addDiff } from '../spiff/diff.ts'
import { Documents } from '../spiff/documents.ts'
import { addEncrypt } from '../spiff/encrypt.ts'
import {
  collect,
  dataOf,
  failed,
  optionsOf,
  type ShapeFlags,
  type SpiffFlags,
  shapedFlags,
  sharedFlags,
} from '../spiff/flags.ts'
import { absent, parts, selected, writeDocuments } from '../spiff/output.ts'
import { print, say } from '../terminal.ts'

/** Adds the noun `spiff` to the command line. */
export function register(program: Command): void {
  const spiff = program.command('spiff').description('the template language of TOI packages')
  addMerge(spiff)
  addProcess(spiff)
  addEval(spiff)
  addLint(spiff)
  addConvert(spiff)
  addDiff(spiff)
  addEncrypt(spiff)
}

type MergeFlags = SpiffFlags & ShapeFlags

function addMerge(spiff: Command): void {
  const merge = add(spiff, {
    usage: 'merge <template> [stubs...]',
    summary: 'Merge stubs into a template and print the result',
    description:
      'Processes a template, or a stream of them, with stubs; the first stub is the nearest, - is standard input.',
    examples: [
      'spiff merge template.yml values.yml',
      'spiff merge template.yml values.yml --explain db.host',
    ],
    aliases: ['m'],
  })
  shapedFlags(sharedFlags(merge)).action((template: string, stubs: readonly string[], flags: MergeFlags) => {
    const documents = new Documents()
    const read = stubs.map((stub) => documents.parsed(stub))
    run(documents.parsed(template), read, { flags, documents, debug: isDebug(merge) })
  })
}

function addProcess(spiff: Command): void {
  const process = add(spiff, {
    usage: 'process <document> <template> [stubs...]',
    summary: 'Process a template on a document',
    description: 'The template sees the document as the field "document", for this run only.',
    examples: [
      'spiff process data.json template.yml',
      'curl -s https://api.example.com/x | chandler spiff process - template.yml',
    ],
    aliases: ['r'],
  })
  shapedFlags(sharedFlags(process)).action(
    (document: string, template: string, stubs: readonly string[], flags: MergeFlags) => {
      const documents = new Documents()
      const input = below('document', documents.parsed(document))
      const bridge = { name: '<document>', text: "document: '(( &temporary &inject (merge) ))'\n" }
      const read = stubs.map((stub) => documents.parsed(stub))
      run(documents.parsed(template), [bridge, input, ...read], {
        flags,
        documents,
        debug: isDebug(process),
      })
    },
  )
}

/** `--debug` is an option of all commands. */
function isDebug(command: Command): boolean {
  return command.optsWithGlobals()['debug'] === true
}

/** Processes, keeps the state, and prints what was asked for. */
function run(
  template: SpiffSource,
  stubs: readonly SpiffSource[],
  { flags, documents, debug }: { flags: MergeFlags; documents: Documents; debug: boolean },
): void {
  const state = stateBefore(template, flags, documents)
  const result = processSpiff(template, stubs, {
    ...optionsOf(flags, documents),
    partial: flags.partial ?? false,
    preserveEscapes: flags.preserveEscapes ?? false,
    preserveTemporary: flags.preserveTemporary ?? flags.explain !== undefined,
    trace: flags.explain !== undefined || debug,
    ...present({ state }),
  })
  if (result.kind === 'failed') failed(result.fault)
  if (debug) say(origins(result.documents))
  if (flags.state !== undefined && result.state !== undefined) keepState(flags, result.state)
  if (flags.explain !== undefined) {
    print(explained(result.documents, flags.explain))
    return
  }
  const shown = result.documents.map((document) => document && shaped(document, flags, documents))
  print(writeDocuments(shown, { json: flags.json ?? false, split: flags.split ?? false }))
}

/** The state that an earlier run left; a stream has none. */
function stateBefore(
  template: SpiffSource,
  { state }: MergeFlags,
  documents: Documents,
): SourceText | undefined {
  if (state === undefined) return undefined
  if ('kind' in template && template.documents.length > 1)
    return fail('usage.invalid', 'a stream of several documents has no state', {
      where: { source: template.name },
      hint: 'Leave out --state, or process the documents one by one.',
    })
  return documents.optional(state)
}

/** What was there before stays beside it, with the ending .bak. */
function keepState({ state: path = '', json }: MergeFlags, state: SpiffDocument): void {
  const asJson = path.endsWith('.json') || (json === true && !/\.ya?ml$/.test(path))
  writeFileSync(`${path}.new`, asJson ? `${state.json()}\n` : state.yaml())
  if (existsSync(path)) copyFileSync(path, `${path}.bak`)
  renameSync(`${path}.new`, path)
}

/** Where every field of the results came from. */
function origins(documents: readonly (SpiffDocument | undefined)[]): string {
  return documents
    .flatMap((document) => document && originsBelow(document, document.cell.value, []))
    .join('\n')
}

function originsBelow(document: SpiffDocument, value: unknown, path: readonly string[]): readonly string[] {
  const keys = value instanceof Dict ? value.keys : []
  if (keys.length > 0)
    return keys.flatMap((key) => originsBelow(document, dataOf(value).get(key)?.value, [...path, key]))
  const found = explain(document.cell, path)
  return found === undefined ? [] : [`${path.join('.')}: ${explanationText(found).trimEnd()}`]
}

function explained(documents: readonly (SpiffDocument | undefined)[], path: string): string {
  const found = documents.flatMap((document) => (document && explain(document.cell, pathSteps(path))) ?? [])
  if (found.length === 0) return absent(documents[0]?.cell, path)
  return found.map(explanationText).join('\n')
}

/** Part of a document, or an expression over it. */
function shaped(document: SpiffDocument, flags: MergeFlags, documents: Documents): SpiffDocument {
  const expression = flags.evaluate ?? flags.expr
  if (expression === undefined) return parts(document, flags)
  const at = flags.path === undefined ? document : selected(document, flags.path)
  const evaluated = evaluate(expression, at.cell.value, { flags, documents })
  return parts(evaluated, { select: flags.select })
}

function addEval(spiff: Command): void {
  const command = add(spiff, {
    usage: 'eval <expression> [document]',
    summary: 'Evaluate an expression, perhaps with the fields of a document in sight',
    description: 'The document is processed first; its temporary fields are in sight, too.',
    examples: ["spiff eval '1 + 2'", "spiff eval 'map[jobs|j|->j.name]' manifest.yml --json"],
  })
  sharedFlags(command)
    .option('--json', 'print JSON')
    .action(
      (expression: string, document: string | undefined, flags: SpiffFlags & { readonly json?: true }) => {
        const documents = new Documents()
        const scope = document === undefined ? null : processed(document, flags, documents)
        const result = evaluate(expression, scope, { flags, documents })
        print(writeDocuments([result], { json: flags.json ?? false, split: false }))
      },
    )
}

/** The fields of a document for an expression to see; what does not settle only matters to an expression that asks for it. */
function processed(name: string, flags: SpiffFlags, documents: Documents): unknown {
  const result = processSpiff(documents.parsed(name), [], {
    ...optionsOf(flags, documents),
    partial: true,
    preserveTemporary: true,
  })
  if (result.kind === 'failed') return failed(result.fault)
  return result.documents[0]?.cell.value
}

function evaluate(
  expression: string,
  scope: unknown,
  { flags, documents }: { flags: SpiffFlags; documents: Documents },
): SpiffDocument {
  const options = optionsOf(flags, documents)
  const bindings = dataOf([...dataOf(scope).cells, ...dataOf(options.bindings).cells])
  const text = JSON.stringify(`(( ${expression} ))`)
  const result = processSpiff({ name: 'expression', text }, [], {
    ...options,
    bindings: bindings satisfies Dict,
  })
  if (result.kind === 'failed') return failed(result.fault)
  const [document] = result.documents
  return document ?? fail('spiff.path.absent', 'the expression has no value')
}

function addLint(spiff: Command): void {
  const command = add(spiff, {
    usage: 'lint <documents...>',
    summary: 'Find broken expressions, unknown names, misspelt markers and unused temporaries',
    description: 'Looks without running anything; the exit code is 9 when there are errors.',
    examples: ['spiff lint template.yml', 'spiff lint packagespecs/*.yaml --interpolation --control'],
  })
  withLintOutput(sharedFlags(command))
    .option('--function <name>', 'a function that the host offers; may be repeated', collect, [])
    .action(lintDocuments)
}

type LintFlags = SpiffFlags & { readonly function: readonly string[]; readonly output: LintForm }

async function lintDocuments(names: readonly string[], flags: LintFlags): Promise<void> {
  const found = namedFindings(names, flags)
  if (isForPrograms(flags.output)) {
    const findings = found.map(({ name, severity, path, message, line, column }) => ({
      severity,
      code: 'spiff.template.fault',
      text: `${path}: ${message}`,
      where: { source: name, line, column },
    }))
    return printFindings(flags.output, { subject: names.join(', '), findings })
  }
  for (const { name, line, column, severity, path, message } of found)
    print(`${name}:${line}:${column}: ${severity}: ${path}: ${message}`)
  const errors = found.filter(({ severity }) => severity === 'error').length
  if (errors > 0)
    fail('spiff.template.fault', plural(errors, 'error'), {
      hint: 'Correct what is listed above, each at its line and column.',
    })
  else say('no errors')
}

function namedFindings(
  names: readonly string[],
  flags: LintFlags,
): readonly (LintFinding & { readonly name: string })[] {
  const documents = new Documents()
  const options = optionsOf(flags, documents)
  return names.flatMap((name) =>
    documents
      .parsed(name)
      .documents.flatMap((cell) =>
        lint(cell, {
          ...options,
          bindings: [...dataOf(options.bindings).keys],
          functions: flags.function,
        }),
      )
      .map((finding) => ({ ...finding, name })),
  )
}
