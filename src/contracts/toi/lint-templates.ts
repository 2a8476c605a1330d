/** Doubts about templates of a package: looked at, never evaluated. */
import { pointer, stepsOf } from '../../kit/json.ts'
import { nearest } from '../../kit/text.ts'
import { type Expr, lint, parseSpiff, stepIntoCell } from '../../languages/spiff/index.ts'
import type { Document } from './document.ts'
import { writeInstead } from './missing.ts'
import type { Wanted } from './requests.ts'
import type { Tell } from './seen.ts'

/** What may be called in a template, and what is said against a call. */
interface Rules {
  readonly functions: readonly string[]
  judge(name: string, args: readonly Expr[]): Verdict | undefined
}

interface Verdict {
  readonly text: string
  readonly fix: string
}

const functions = ['getCredentials', 'hasCredentials']
/** A template of a stranger reaches nothing of the host. */
const worldly = new Set([
  ...['read', 'write', 'exec', 'exec_uncached', 'pipe', 'pipe_uncached', 'tempfile', 'env', 'lookup_file'],
  ...['lookup_dir', 'list_files', 'list_dirs', 'mkdir', 'lookup_ip', 'lookup_host'],
])

function worldlyVerdict(name: string): Verdict | undefined {
  return worldly.has(name)
    ? {
        text: `${name}() reaches no file, program, environment or network from a package`,
        fix: 'Take the value as a parameter, or let the executor find it.',
      }
    : undefined
}

/** Everywhere but in the mapping of parameters. */
export const plainRules: Rules = {
  functions,
  judge: (name) =>
    functions.includes(name)
      ? {
          text: `${name}() is only known in a parameterMapping`,
          fix: 'Move the expression to the parameterMapping of the entry.',
        }
      : worldlyVerdict(name),
}

/** In a mapping of which the credentials are not known. */
export const openRules: Rules = { functions, judge: worldlyVerdict }

/** In the mapping, where the executor's credentials are known by their names and properties. */
export function mappingRules(wanted: readonly Wanted[]): Rules {
  return {
    functions,
    judge: (name, args) =>
      functions.includes(name) ? credentialVerdict(name, args, wanted) : worldlyVerdict(name),
  }
}

function credentialVerdict(
  called: string,
  args: readonly Expr[],
  wanted: readonly Wanted[],
): Verdict | undefined {
  const [name, property] = args.map((one) =>
    one.kind === 'value' && typeof one.value === 'string' ? one.value : undefined,
  )
  if (args.length === 0 || args.length > 2)
    return {
      text: `${called}() takes one or two arguments`,
      fix: 'Give the name and, if it has several, the property: getCredentials("name", "property").',
    }
  if (name === undefined) return undefined
  const names = wanted.map(({ as }) => as)
  const one = wanted.find(({ as }) => as === name)
  if (one === undefined) {
    const renamed = wanted.find((each) => each.name === name)?.as
    const fix =
      renamed === undefined
        ? writeInstead(name, names, 'credentials of the executor')
        : `Write "${renamed}", as the executor calls it.`
    return { text: `the executor has no credentials ${JSON.stringify(name)}`, fix }
  }
  const declared = Object.keys(one.request.properties)
  if (
    property === undefined ||
    ['', '*'].includes(property) ||
    declared.length === 0 ||
    declared.includes(property)
  )
    return undefined
  return {
    text: `credentials ${name} have no property ${JSON.stringify(property)}`,
    fix: writeInstead(property, declared, 'a property of the request'),
  }
}

/** Tells what is doubtful in the template at a place of a document. */
export function lintTemplate(document: Document, at: string, rules: Rules, tell: Tell): void {
  const parsed = parseSpiff(document)
  // What is no document is told by its reader.
  if (!('documents' in parsed)) {
    if (at === '') tellUnreadable(document, parsed.fault, tell)
    return
  }
  let cell = parsed.documents[0]
  for (const step of stepsOf(at)) {
    const written = /^\d+$/.test(step) ? `[${step}]` : step
    cell = cell && stepIntoCell(cell, written)
  }
  if (cell === undefined) return
  const verdicts = new Map<string, string>()
  const found = lint(cell, {
    control: true,
    interpolation: true,
    functions: rules.functions,
    judge: (name, args) => {
      const verdict = rules.judge(name, args)
      if (verdict !== undefined) verdicts.set(verdict.text, verdict.fix)
      return verdict?.text
    },
  })
  const isUnused = ({ message }: { readonly message: string }): boolean => /is never used$/.test(message)
  // What is used by an expression that is at fault looks unused.
  for (const { message, steps } of found.every(isUnused) ? found : found.filter((one) => !isUnused(one))) {
    const below = steps.map((step) => step.replace(/^\[(\d+)\]$/, '$1')).reduce(pointer, at)
    tell(document.where(below), message, verdicts.get(message) ?? fixFor(message))
  }
}

function tellUnreadable(
  document: Document,
  { message, line = 1 }: { readonly message: string; readonly line?: number },
  tell: Tell,
): void {
  const [fault] = document.faults()
  const hint = fault?.hint ?? 'Correct what stands there.'
  tell(
    { source: document.name, line: fault?.line ?? line },
    `the library is no YAML: ${fault?.message ?? message}`,
    hint,
  )
}

const fixes: readonly (readonly [RegExp, string])[] = [
  [/unknown function/, 'Call a function that there is.'],
  [/is not defined here/, 'Define it in this template, or take it from what is given: (( merge )).'],
  [/blanks in front/, 'Take the blanks in front of (( out.'],
  [/what follows \)\)/, 'Take what follows )) out.'],
  [/not begin with \(\(/, 'Write (( at its begin.'],
  [/not end with \)\)/, 'Write )) at its end.'],
  [/never used/, 'Take it out, or use it.'],
  [/tag '/, 'Set the tag in this document, or take it out.'],
]

function fixFor(message: string): string {
  const meant = /did you mean (?:'([^']+)'|(&?[\w]+(?:\(\))?))\?/.exec(message)
  const word = meant?.[1] ?? meant?.[2]
  if (word !== undefined) return `Write ${word} instead.`
  const quote = /unknown function '([^']+)'/.exec(message)?.[1]
  const own = quote === undefined ? undefined : nearest(quote, functions)
  if (own !== undefined) return `Write ${own}() instead.`
  return (
    fixes.find(([about]) => about.test(message))?.[1] ??
    'Correct the expression: brackets, quotes, operators.'
  )
}
