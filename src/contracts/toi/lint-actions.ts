/** Doubts about the actions that entries of a package name. */
import { pointer } from '../../kit/json.ts'
import { nearest } from '../../kit/text.ts'
import type { Document } from './document.ts'
import type { ExecutorEntry } from './format.ts'
import type { SeenExecutor, SeenPackage, Tell } from './seen.ts'

/** What brokers and people order; shorter words are near too much. */
const usual = ['uninstall', 'install', 'update', 'upgrade']

/** Actions that are named twice, in vain or probably wrongly, and lives that cannot end. */
export function lintActions({ document, text, executors }: SeenPackage, tell: Tell): void {
  const { executors: entries } = document
  if (entries.length === 0)
    tell(
      text.where('/executors'),
      'there is no executor: nothing can be installed',
      'Add an entry to "executors": - actions: [install, uninstall], with its resourceRef.',
    )
  const named = entries.flatMap(({ actions = [] }) => actions)
  const before: ExecutorEntry[] = []
  for (const entry of entries) {
    lintWords(entry, named, text, tell)
    lintOrder(entry, before, text, tell)
    before.push(entry)
  }
  for (const executor of executors) lintOffers(executor, text, tell)
  const takesAny = entries.some(({ actions }) => actions === undefined)
  const isMeant = named.some((word) => !usual.includes(word) && nearest(word, usual) === 'uninstall')
  const first = entries.find(({ actions }) => actions?.includes('install'))
  if (first !== undefined && !takesAny && !named.includes('uninstall') && !isMeant)
    tell(
      text.where(pointer(first.at, 'actions')),
      'it is installed, and no executor takes the action "uninstall": instances cannot be deleted',
      'Add "uninstall" to the actions of the executor that takes things away.',
    )
}

function lintWords(
  { at, actions }: ExecutorEntry,
  named: readonly string[],
  text: Document,
  tell: Tell,
): void {
  if (actions === undefined) return
  const where = text.where(pointer(at, 'actions'))
  // A list that could not be read is told as such.
  if (actions.length === 0 && /^\s*actions:\s*\[\s*\]/m.test(lineAt(text, where.line)))
    tell(
      where,
      'names no action, so that nothing runs this executor',
      'Name its actions, or take "actions" out for all of them.',
    )
  for (const [i, word] of actions.entries()) {
    if (word.trim() === '') {
      tell(where, `${JSON.stringify(word)} is not the name of an action`, 'Name the action, or take it out.')
      continue
    }
    if (actions.indexOf(word) < i) tell(where, `names the action ${word} twice`, 'Name it once.')
    const meant = usual.includes(word) ? undefined : nearest(word, usual)
    if (meant !== undefined && !named.includes(meant))
      tell(
        where,
        `the action ${word} is none that a broker orders; did you mean "${meant}"?`,
        `Write "${meant}" instead.`,
      )
  }
}

function lineAt({ text }: Document, line = 1): string {
  // A list in brackets begins behind its key, one of an entry behind its dash.
  return (text.split('\n')[line - 1] ?? '').replace(/^\s*-\s/, '')
}

/** The first entry that takes an action runs it. */
function lintOrder(
  { at, actions = [] }: ExecutorEntry,
  before: readonly ExecutorEntry[],
  text: Document,
  tell: Tell,
): void {
  const where = text.where(pointer(at, 'actions'))
  const isTaken = (word: string): boolean =>
    before.some((one) => one.actions === undefined || one.actions.includes(word))
  const taken = [...new Set(actions.filter(isTaken))]
  if (taken.length > 0)
    tell(
      where,
      `${taken.join(', ')} never runs here: an entry before takes it`,
      'Put the entries in the order in which they are to be asked, or take the action out of one of the two.',
    )
}

/** A specification may take fewer actions than the entry that leads to it. */
function lintOffers({ entry: { at, actions = [] }, spec }: SeenExecutor, text: Document, tell: Tell): void {
  const offers = spec?.document.actions
  if (offers === undefined) return
  const refused = actions.filter((word) => !offers.includes(word) && nearest(word, usual) !== undefined)
  for (const word of new Set(refused.filter((one) => usual.includes(one))))
    tell(
      text.where(pointer(at, 'actions')),
      `the executor ${spec?.text.name} does not take the action ${word}`,
      `Add "${word}" to the actions of ${spec?.text.name}, or take it out here.`,
    )
}
