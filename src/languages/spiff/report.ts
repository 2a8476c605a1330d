/** Lists what did not settle, in the words and the order of the original. */
import { type Place, placeOf } from '../place.ts'
import { type Issue, issueOf, printNested } from './issue.ts'
import { printExpr } from './print.ts'
import type { Live, Trouble } from './site.ts'
import { stubSteps } from './stubs.ts'
import { extentOfCode } from './value.ts'

/** One node that did not settle. */
export interface Unresolved {
  readonly sign: '*' | '@' | '-'
  readonly expression: string
  readonly source: string
  /** Where the node is in the result, and where it was written if that differs. */
  readonly path: string
  readonly steps: readonly string[]
  readonly referred: string
  readonly issue: Issue
  /** Where the node is written in the document of its source. */
  readonly place?: Place | undefined
  /** The text of the expression, and where in it the part stands that failed. */
  readonly code?: { readonly text: string; readonly place: Place }
}

/** All troubles below a node: own faults, then what waits, then what waits for failures; by path. */
export function unresolvedOf(root: Live): readonly Unresolved[] {
  const found: Unresolved[] = []
  collect(root, [], found, new Set())
  const order = ['*', '@', '-']
  return found
    .map((entry, i) => ({ entry, i }))
    .sort((a, b) => order.indexOf(a.entry.sign) - order.indexOf(b.entry.sign) || a.i - b.i)
    .map(({ entry }) => entry)
}

function collect(node: Live, context: readonly string[], found: Unresolved[], seen: Set<Live>): void {
  if (seen.has(node)) return
  seen.add(node)
  for (const { step, node: child } of node.below())
    collect(child, step === undefined ? context : [...context, step], found, seen)
  if (node.trouble === undefined) return
  const { expr, text } = node.trouble
  node.site.level.run.budget.tell(expr === undefined ? text.length : extentOfCode(expr))
  found.push(entryOf(node, node.trouble, context))
}

function entryOf(node: Live, trouble: Trouble, context: readonly string[]): Unresolved {
  const { expr, text, code } = trouble
  const at = { path: node.path(), stubPath: stubSteps(node.site.view.path) }
  return {
    sign: trouble.sign,
    expression: expr === undefined ? text : `(( ${printExpr(expr, at)} ))`,
    source: trouble.source,
    path: context.join('.'),
    steps: node.shownPath(),
    referred: referredPath(node, trouble, context),
    issue: trouble.issue,
    place: node.raw.place,
    ...(code === undefined ? {} : { code: { text: code.text, place: placeOf(code.text, code.at) } }),
  }
}

function referredPath(node: Live, { expr }: Trouble, context: readonly string[]): string {
  if (expr?.kind === 'merge') return (expr.merge.path ?? stubSteps(node.site.view.path)).join('.')
  if (expr?.kind === 'auto') return node.path().join('.')
  const own = node.shownPath().join('.')
  const shown = context.join('.')
  if (own === shown) return ''
  return shown !== '' && own.startsWith(`${shown}.`) ? `..${own.slice(shown.length)}` : own
}

/** The message of a failed run. */
export function unresolvedMessage(entries: readonly Unresolved[]): string {
  return ['unresolved nodes:', ...entries.map(line)].join('\n')
}

function line(entry: Unresolved): string {
  const message = entry.issue.text === '' ? '' : `\t${entry.sign}${entry.issue.text}`
  const expression = entry.expression.replaceAll('\n', '\n\t')
  const head = `\t${expression}\tin ${entry.source}\t${entry.path}\t(${entry.referred})`
  return head + message + printNested(entry.issue)
}

/** The same as causes of something else. */
export function unresolvedIssues(entries: readonly Unresolved[]): readonly Issue[] {
  return entries.map((entry) => {
    const message = entry.issue.text === '' ? '' : `${entry.sign}${entry.issue.text}`
    const text = `${entry.expression}\tin ${entry.source}\t${entry.path}\t(${entry.referred})${message}`
    return issueOf(text, entry.issue.nested, entry.issue.sequence)
  })
}
